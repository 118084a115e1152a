// The passes over the arms. X is stored in tiles of eight arms: X[tile][d] has feature d of each arm.

typedef double v8d __attribute__((vector_size(64)));

static inline v8d root(v8d x) { return (v8d)_mm512_sqrt_pd(_mm512_max_pd((__m512d)x, _mm512_setzero_pd())); }

// Fixed arms, m + 1 dot products per arm: computes all predictions and the direction of the widths again from
// X.
__attribute__((noipa)) static void pass_dots(const v8d *X, const double *theta, const double *v, v8d *w2, v8d *P, v8d *u,
                                             int tiles, int d, double c, double beta) {
    for (int t = 0; t < tiles; t++) {
        const v8d *x = X + (size_t)t * d;
        v8d a0 = {0}, a1 = a0, a2 = a0, a3 = a0, a4 = a0, s = a0;
        for (int j = 0; j < d; j++) {
            v8d xj = x[j];
            a0 += xj * theta[j];
            a1 += xj * theta[d + j];
            a2 += xj * theta[2 * d + j];
            a3 += xj * theta[3 * d + j];
            a4 += xj * theta[4 * d + j];
            s += xj * v[j];
        }
        v8d w = w2[t] - c * s * s;
        w2[t] = w;
        v8d b = root(w) * beta, *o = u + (size_t)t * M, *p = P + (size_t)t * M;
        p[0] = a0, p[1] = a1, p[2] = a2, p[3] = a3, p[4] = a4;
        o[0] = a0 + b, o[1] = a1 + b, o[2] = a2 + b, o[3] = a3 + b, o[4] = a4 + b;
    }
}

// Fixed arms, one dot product per arm, which updates predictions and widths. Valid if no estimate was
// projected.
__attribute__((noipa)) static void pass_inc(const v8d *X, const double *v, v8d *w2, v8d *P, v8d *u, const double *g,
                                            int tiles, int d, double c, double beta) {
    for (int t = 0; t < tiles; t++) {
        const v8d *x = X + (size_t)t * d;
        v8d s0 = {0}, s1 = s0, s2 = s0, s3 = s0;
        int j = 0;
        for (; j + 4 <= d; j += 4) {
            s0 += x[j] * v[j];
            s1 += x[j + 1] * v[j + 1];
            s2 += x[j + 2] * v[j + 2];
            s3 += x[j + 3] * v[j + 3];
        }
        for (; j < d; j++) s0 += x[j] * v[j];
        v8d s = (s0 + s1) + (s2 + s3), w = w2[t] - c * s * s;
        w2[t] = w;
        v8d b = root(w) * beta, *p = P + (size_t)t * M, *o = u + (size_t)t * M;
        for (int i = 0; i < M; i++) p[i] -= s * g[i], o[i] = p[i] + b;
    }
}

// Fresh arms: w2 = x'Ax from the lower triangle (off-diagonal doubled, rows in blocks of four: A[d/4][d][4]),
// two tiles at a time, then m dot products.
__attribute__((noipa)) static void pass_fresh(const v8d *X, const double *theta, const double *A, v8d *u, int tiles, int d,
                                              double beta) {
    for (int t = 0; t + 2 <= tiles; t += 2) {
        const v8d *x = X + (size_t)t * d, *y = x + d;
        v8d w0 = {0}, w1 = {0};
        for (int i = 0; i < d; i += 4) {
            v8d a0 = {0}, a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
            const double *a = A + (size_t)i * d;
            int last = i + 4 < d ? i + 4 : d;
            for (int j = 0; j < last; j++) {
                v8d xj = x[j], yj = y[j];
                double q0 = a[4 * j], q1 = a[4 * j + 1], q2 = a[4 * j + 2], q3 = a[4 * j + 3];
                a0 += xj * q0, a1 += xj * q1, a2 += xj * q2, a3 += xj * q3;
                b0 += yj * q0, b1 += yj * q1, b2 += yj * q2, b3 += yj * q3;
            }
            w0 += a0 * x[i], w1 += b0 * y[i];
            if (i + 1 < d) w0 += a1 * x[i + 1], w1 += b1 * y[i + 1];
            if (i + 2 < d) w0 += a2 * x[i + 2], w1 += b2 * y[i + 2];
            if (i + 3 < d) w0 += a3 * x[i + 3], w1 += b3 * y[i + 3];
        }
        v8d c0 = root(w0) * beta, c1 = root(w1) * beta, *o = u + (size_t)t * M;
        v8d p0 = {0}, p1 = p0, p2 = p0, p3 = p0, p4 = p0, r0 = p0, r1 = p0, r2 = p0, r3 = p0, r4 = p0;
        for (int j = 0; j < d; j++) {
            v8d xj = x[j], yj = y[j];
            p0 += xj * theta[j], r0 += yj * theta[j];
            p1 += xj * theta[d + j], r1 += yj * theta[d + j];
            p2 += xj * theta[2 * d + j], r2 += yj * theta[2 * d + j];
            p3 += xj * theta[3 * d + j], r3 += yj * theta[3 * d + j];
            p4 += xj * theta[4 * d + j], r4 += yj * theta[4 * d + j];
        }
        o[0] = p0 + c0, o[1] = p1 + c0, o[2] = p2 + c0, o[3] = p3 + c0, o[4] = p4 + c0;
        o[5] = r0 + c1, o[6] = r1 + c1, o[7] = r2 + c1, o[8] = r3 + c1, o[9] = r4 + c1;
    }
}
