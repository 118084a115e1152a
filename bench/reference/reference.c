// The speed of plain C: a reference, not a floor. Prints one line of JSON per measurement; times are
// CPU time of the thread.
//
//   reference window PREFIX K d T0 T1 BATCH RESTARTS   whole rounds, fixed arms, T0 < t <= T1;
//                                                      the instances are PREFIX-0.f64 ..
//   reference pass FILE K d                            only the passes over the arms: inc, dots, fresh
//   reference front FILE n                             the filter of n points
//
// An instance file has M rows of d coefficients, then K rows of d features; a file of points has n rows of M.
// Needs AVX-512. Build:
//   cc -O3 -march=native -ffp-contract=fast -fno-math-errno -fno-trapping-math -fassociative-math
//      -fno-signed-zeros reference.c -o reference -lm
#define _GNU_SOURCE
#include <immintrin.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#define M 5

#include "kernels.h"
#include "front.h"
#include "projection.h"

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static double cpu(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static uint64_t state = 88172645463325252ull;
static double unit(void) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (state >> 11) * 0x1p-53;
}

static void *alloc(size_t bytes) {
    const size_t huge = 2u << 20;
    bytes = (bytes + huge) & ~(huge - 1);
    void *p = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) fail("mmap");
    if (bytes >= 2 * huge) madvise(p, bytes, MADV_HUGEPAGE);
    memset(p, 0, bytes);
    return p;
}

static FILE *open_or_fail(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) fail(path);
    return file;
}

static void read_numbers(FILE *file, double *out, size_t n) {
    if (fread(out, 8, n, file) != n) fail("a file that is too short");
}

static int by_size(const void *a, const void *b) {
    double x = *(double *)a, y = *(double *)b;
    return (x > y) - (x < y);
}

static void report(const char *what, double *samples, int n, const char *extra) {
    qsort(samples, n, 8, by_size);
    printf("{\"what\":\"%s\",\"spread\":{\"median\":%.9e,\"min\":%.9e,\"p90\":%.9e,\"samples\":%d},\"extra\":{%s}}\n", what,
           samples[n / 2], samples[0], samples[n * 9 / 10], n, extra);
}

// Measures code in batches of a millisecond until BUDGET seconds have passed.
#define BUDGET 0.2
#define MEASURE(what, extra, code)                                                                   \
    do {                                                                                             \
        static double s_[2000];                                                                      \
        double begin_ = cpu();                                                                       \
        code;                                                                                        \
        code;                                                                                        \
        double one_ = (cpu() - begin_) / 2;                                                          \
        int batch_ = one_ > 1e-3 ? 1 : (int)(1e-3 / (one_ + 1e-9)) + 1, n_ = 0;                      \
        begin_ = cpu();                                                                              \
        while (n_ < 2000 && (n_ < 3 || cpu() - begin_ < BUDGET)) {                                   \
            double from_ = cpu();                                                                    \
            for (int q_ = 0; q_ < batch_; q_++) { code; }                                            \
            s_[n_++] = (cpu() - from_) / batch_;                                                     \
        }                                                                                            \
        report(what, s_, n_, extra);                                                                 \
    } while (0)

// An instance and the state that is cached between rounds.
typedef struct {
    int K, d, tiles;
    double *theta, *rows; // the true coefficients; the arms row by row
    v8d *X, *w2, *P, *u;  // the arms in tiles; squared widths, predictions, bounds
} arms;

static arms new_arms(int K, int d) {
    int tiles = (K + 15) / 16 * 2;
    arms a = {K, d, tiles, alloc(M * d * 8), alloc((size_t)K * d * 8), alloc((size_t)tiles * d * 64),
              alloc((size_t)tiles * 64), alloc((size_t)tiles * M * 64), alloc((size_t)tiles * M * 64)};
    candidates = alloc((size_t)K * sizeof(point));
    window = alloc(((size_t)K + 8) / 8 * M * 64);
    return a;
}

static void read_arms(arms *a, const char *path) {
    FILE *file = open_or_fail(path);
    read_numbers(file, a->theta, (size_t)M * a->d);
    read_numbers(file, a->rows, (size_t)a->K * a->d);
    fclose(file);
    for (int k = 0; k < a->K; k++) {
        const double *x = a->rows + (size_t)k * a->d;
        double n = 0;
        for (int j = 0; j < a->d; j++) a->X[(size_t)(k / 8) * a->d + j][k % 8] = x[j], n += x[j] * x[j];
        a->w2[k / 8][k % 8] = n;
    }
    memset(a->P, 0, (size_t)a->tiles * M * 64);
}

static double mean(int i, double z) { return i < 2 ? 0.5 * erfc(-z * M_SQRT1_2) : 1 / (1 + exp(-z)); }

// Checks the cached state against a fresh computation, and exits if it is wrong: the reference must be
// correct.
static void check_state(const arms *a, const double *Zi, const double *est) {
    int d = a->d;
    for (int k = 0; k < a->K; k += a->K < 40 ? 1 : a->K / 40) {
        const double *x = a->rows + (size_t)k * d;
        double w = 0, p = 0;
        for (int i = 0; i < d; i++) {
            double s = 0;
            for (int j = 0; j < d; j++) s += Zi[(size_t)i * d + j] * x[j];
            w += s * x[i], p += est[i] * x[i];
        }
        if (fabs(p - a->P[(size_t)(k / 8) * M][k % 8]) > 1e-9 || fabs(w - a->w2[k / 8][k % 8]) > 1e-6 * w) {
            fprintf(stderr, "the cached state has drifted\n");
            exit(1);
        }
    }
}

typedef struct {
    long rounds, projections, front;
    double total;
} tally;

// Plays Algorithm 1 on one instance; returns the number of samples so far. Drawing the reward is part of a
// round.
static int play(arms *a, int t0, int t1, int batch, double *samples, int n, int most, tally *sum) {
    int d = a->d, K = a->K, f = K, *front = malloc((size_t)K * 4);
    double *est = calloc(M * d, 8), *Zi = calloc((size_t)d * d, 8), *v = calloc(d, 8), *Q = calloc((size_t)d * 64, 8);
    double h = 0.19661193324148185 / 2, log_det = 0, pivots[8][M];
    for (int j = 0; j < d; j++) Zi[(size_t)j * d + j] = 1;
    for (int k = 0; k < K; k++) front[k] = k;
    double begin = cpu(), from = begin;
    for (int t = 1; t <= t1; t++) {
        const double *x = a->rows + (size_t)front[(int)(unit() * f)] * d;
        double q = 0, g[M];
        int anew = 0;
        for (int i = 0; i < d; i++) {
            const double *z = Zi + (size_t)i * d;
            double s = 0;
            for (int j = 0; j < d; j++) s += z[j] * x[j];
            v[i] = s;
        }
        for (int j = 0; j < d; j++) q += v[j] * x[j];
        double r = 1 / (1 + h * q), c = h * r;
        for (int i = 0; i < d; i++) {
            double s = c * v[i], *z = Zi + (size_t)i * d;
            for (int j = 0; j < d; j++) z[j] -= s * v[j];
        }
        log_det += log1p(h * q);
        for (int j = 0; j < d; j++) v[j] *= r;
        for (int i = 0; i < M; i++) {
            double z = 0, truth = 0, n = 0, *e = est + i * d;
            for (int j = 0; j < d; j++) z += e[j] * x[j], truth += a->theta[i * d + j] * x[j];
            g[i] = mean(i, z) - (unit() < mean(i, truth));
            for (int j = 0; j < d; j++) e[j] -= g[i] * v[j], n += e[j] * e[j];
            if (n > 1) {
                project(Zi, e, d, 1, Q);
                anew = 1, sum->projections += t > t0;
            }
        }
        double beta = sqrt(0.1 * log_det);
        if (anew)
            pass_dots(a->X, est, v, a->w2, a->P, a->u, a->tiles, d, h / r, beta);
        else
            pass_inc(a->X, v, a->w2, a->P, a->u, g, a->tiles, d, h / r, beta);
        int n_pivots = f < 8 ? f : 8;
        for (int p = 0; p < n_pivots; p++)
            for (int i = 0; i < M; i++) pivots[p][i] = a->u[(size_t)(front[p] / 8) * M + i][front[p] % 8];
        f = pareto(a->u, K, pivots, n_pivots, front);
        if (t > t0) sum->rounds++, sum->front += f;
        if (t == t0) from = cpu();
        if (t > t0 && (t - t0) % batch == 0) {
            double now = cpu();
            if (n < most) samples[n++] = (now - from) / batch;
            from = now;
        }
    }
    sum->total += cpu() - begin;
    check_state(a, Zi, est);
    free(front), free(est), free(Zi), free(v), free(Q);
    return n;
}

static void windows(const char *prefix, int K, int d, int t0, int t1, int batch, int restarts) {
    enum { MOST = 200000 };
    static double samples[MOST];
    arms a = new_arms(K, d);
    tally sum = {0};
    int n = 0;
    for (int trial = 0; trial < restarts; trial++) {
        char path[4096];
        snprintf(path, sizeof path, "%s-%d.f64", prefix, trial);
        read_arms(&a, path);
        n = play(&a, t0, t1, batch, samples, n, MOST, &sum);
    }
    char extra[128];
    snprintf(extra, sizeof extra, "\"projections\":%.4f,\"front\":%.2f,\"total\":%.6f", (double)sum.projections / sum.rounds,
             (double)sum.front / sum.rounds, sum.total);
    report("round", samples, n, extra);
}

static void passes(const char *path, int K, int d) {
    arms a = new_arms(K, d);
    read_arms(&a, path);
    double *v = alloc(d * 8), g[M] = {1e-9, -1e-9, 1e-9, 1e-9, -1e-9};
    double *A = alloc((size_t)((d + 3) / 4 * 4) * d * 8 + 64);
    for (int j = 0; j < d; j++) v[j] = a.rows[j] * 1e-6;
    for (int i = 0; i < d; i++)
        for (int j = 0; j <= i; j++) A[(size_t)(i / 4 * 4) * d + 4 * j + i % 4] = i == j ? 1 : 2e-3 * (unit() - .5);
    MEASURE("dots", "", pass_dots(a.X, a.theta, v, a.w2, a.P, a.u, a.tiles, d, 1e-12, 0.3));
    MEASURE("inc", "", pass_inc(a.X, v, a.w2, a.P, a.u, g, a.tiles, d, 1e-12, 0.3));
    MEASURE("fresh", "", pass_fresh(a.X, a.theta, A, a.u, a.tiles, d, 0.3));
}

static void fronts(const char *path, int n) {
    v8d *u = alloc((size_t)((n + 7) / 8) * M * 64);
    int *front = alloc((size_t)n * 4), f = 0;
    double row[M], pivots[2][M];
    FILE *file = open_or_fail(path);
    for (int k = 0; k < n; k++) {
        read_numbers(file, row, M);
        for (int i = 0; i < M; i++) u[(size_t)(k / 8) * M + i][k % 8] = row[i];
    }
    fclose(file);
    candidates = alloc((size_t)n * sizeof(point));
    window = alloc(((size_t)n + 8) / 8 * M * 64);
    char extra[64];
    f = pareto(u, n, pivots, cold_pivots(u, n, pivots), front);
    snprintf(extra, sizeof extra, "\"front\":%d", f);
    MEASURE("filter", extra, f = pareto(u, n, pivots, cold_pivots(u, n, pivots), front));
}

int main(int argc, char **argv) {
    if (argc == 9 && !strcmp(argv[1], "window"))
        windows(argv[2], atoi(argv[3]), atoi(argv[4]), atoi(argv[5]), atoi(argv[6]), atoi(argv[7]), atoi(argv[8]));
    else if (argc == 5 && !strcmp(argv[1], "pass"))
        passes(argv[2], atoi(argv[3]), atoi(argv[4]));
    else if (argc == 4 && !strcmp(argv[1], "front"))
        fronts(argv[2], atoi(argv[3]));
    else
        return fputs("see the first lines of reference.c\n", stderr), 2;
    return 0;
}
