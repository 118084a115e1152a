// The Pareto filter, larger is better: pivots drop the points that they strictly dominate, then a
// sort-filter-skyline pass filters the rest. u is in tiles of eight points: u[tile][M].

typedef struct {
    double sum, u[M];
    int id;
} point;

static point *candidates;
static v8d *window; // [block][M], unused lanes hold -inf
static int survivors;

static int by_sum(const void *a, const void *b) {
    const point *x = a, *y = b;
    if (x->sum != y->sum) return x->sum < y->sum ? 1 : -1;
    for (int i = 0; i < M; i++)
        if (x->u[i] != y->u[i]) return x->u[i] < y->u[i] ? 1 : -1;
    return 0;
}

// Returns 1 if a kept point dominates p.
static int dominated(const point *p, int kept) {
    __m512d q[M];
    for (int i = 0; i < M; i++) q[i] = _mm512_set1_pd(p->u[i]);
    for (int b = 0; b < (kept + 7) / 8; b++) {
        const __m512d *w = (const __m512d *)(window + (size_t)b * M);
        __mmask8 k = _mm512_cmp_pd_mask(w[0], q[0], _CMP_GE_OQ);
        k = _mm512_mask_cmp_pd_mask(k, w[1], q[1], _CMP_GE_OQ);
        k = _mm512_mask_cmp_pd_mask(k, w[2], q[2], _CMP_GE_OQ);
        if (!k) continue;
        k = _mm512_mask_cmp_pd_mask(k, w[3], q[3], _CMP_GE_OQ);
        k = _mm512_mask_cmp_pd_mask(k, w[4], q[4], _CMP_GE_OQ);
        if (!k) continue;
        __mmask8 greater = 0;
        for (int i = 0; i < M; i++) greater |= _mm512_cmp_pd_mask(w[i], q[i], _CMP_GT_OQ);
        if (k & greater) return 1;
    }
    return 0;
}

static int skyline(int n, int *front) {
    qsort(candidates, n, sizeof(point), by_sum);
    int f = 0;
    for (int c = 0; c < n; c++) {
        const point *p = &candidates[c];
        if (dominated(p, f)) continue;
        if (f % 8 == 0)
            for (int i = 0; i < M; i++) window[(size_t)(f / 8) * M + i] = (v8d)_mm512_set1_pd(-INFINITY);
        for (int i = 0; i < M; i++) window[(size_t)(f / 8) * M + i][f % 8] = p->u[i];
        front[f++] = p->id;
    }
    return f;
}

// Finds the front. Pivots drop only points that are strictly worse in every objective, so ties are never
// lost.
static int pareto(const v8d *u, int K, double (*pivots)[M], int n_pivots, int *front) {
    int n = 0, tiles = (K + 7) / 8;
    for (int t = 0; t < tiles; t++) {
        const __m512d *x = (const __m512d *)(u + (size_t)t * M);
        __mmask8 alive = t == tiles - 1 && K % 8 ? (1 << K % 8) - 1 : 0xff;
        for (int p = 0; p < n_pivots && alive; p++) {
            __mmask8 k = _mm512_mask_cmp_pd_mask(alive, x[0], _mm512_set1_pd(pivots[p][0]), _CMP_LT_OQ);
            for (int i = 1; i < M; i++) k = _mm512_mask_cmp_pd_mask(k, x[i], _mm512_set1_pd(pivots[p][i]), _CMP_LT_OQ);
            alive &= ~k;
        }
        while (alive) {
            int lane = __builtin_ctz(alive);
            alive &= alive - 1;
            point *c = &candidates[n++];
            c->id = t * 8 + lane, c->sum = 0;
            for (int i = 0; i < M; i++) c->sum += c->u[i] = ((const v8d *)x)[i][lane];
        }
    }
    survivors = n;
    return skyline(n, front);
}

// Chooses pivots without an earlier front: the points with the best sum and the best worst objective in a
// sample.
static int cold_pivots(const v8d *u, int K, double (*pivots)[M]) {
    double best_sum = -INFINITY, best_min = -INFINITY;
    int arg[2] = {0, 0}, step = K > 4096 ? 5 : 1;
    for (int k = 0; k < K; k += step) {
        double sum = 0, min = INFINITY;
        for (int i = 0; i < M; i++) {
            double x = u[(size_t)(k / 8) * M + i][k % 8];
            sum += x;
            if (x < min) min = x;
        }
        if (sum > best_sum) best_sum = sum, arg[0] = k;
        if (min > best_min) best_min = min, arg[1] = k;
    }
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < M; i++) pivots[p][i] = u[(size_t)(arg[p] / 8) * M + i][arg[p] % 8];
    return 2;
}
