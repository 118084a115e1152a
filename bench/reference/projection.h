// Projection onto the ball of radius D in the norm of Z: (I + mu Z^-1)^-1 theta. Lanczos on the known Z^-1,
// started at theta, then Newton on 1/norm with a small tridiagonal matrix.

// Newton's method for mu in the Krylov space of k vectors; s receives the coefficients of the solution.
static double newton(const double *al, const double *be, int k, double norm, double D, double mu, double *s) {
    double y[64], dd[64], l[64], t[64];
    for (int it = 0; it < 50; it++) { // I + mu T by LDL', no pivoting: it is positive definite
        dd[0] = 1 + mu * al[0], s[0] = norm;
        for (int i = 1; i < k; i++) {
            l[i] = mu * be[i - 1] / dd[i - 1];
            dd[i] = 1 + mu * al[i] - l[i] * mu * be[i - 1];
            s[i] = -l[i] * s[i - 1];
        }
        for (int i = 0; i < k; i++) s[i] /= dd[i];
        for (int i = k - 2; i >= 0; i--) s[i] -= l[i + 1] * s[i + 1];
        double n2 = 0, g = 0;
        for (int i = 0; i < k; i++) n2 += s[i] * s[i];
        double n = sqrt(n2);
        if (n <= D * (1 + 1e-13)) break;
        for (int i = 0; i < k; i++)
            t[i] = al[i] * s[i] + (i ? be[i - 1] * s[i - 1] : 0) + (i + 1 < k ? be[i] * s[i + 1] : 0);
        y[0] = t[0];
        for (int i = 1; i < k; i++) y[i] = t[i] - l[i] * y[i - 1];
        for (int i = 0; i < k; i++) y[i] /= dd[i];
        for (int i = k - 2; i >= 0; i--) y[i] -= l[i + 1] * y[i + 1];
        for (int i = 0; i < k; i++) g += s[i] * y[i];
        mu += n2 / g * (n - D) / D;
    }
    return mu;
}

static void project(const double *Zi, double *theta, int d, double D, double *Q) {
    double al[64], be[64], s[64], norm = 0, mu = 0;
    for (int i = 0; i < d; i++) norm += theta[i] * theta[i];
    norm = sqrt(norm);
    for (int i = 0; i < d; i++) Q[i] = theta[i] / norm;
    int k = 0, most = d < 40 ? d : 40;
    for (;;) {
        double *q = Q + (size_t)k * d, *w = q + d, b = 0;
        for (int i = 0; i < d; i++) {
            const double *z = Zi + (size_t)i * d;
            double t = 0;
            for (int j = 0; j < d; j++) t += z[j] * q[j];
            w[i] = t;
        }
        for (int pass = 0; pass < 2; pass++)
            for (int a = 0; a <= k; a++) {
                double t = 0;
                for (int i = 0; i < d; i++) t += w[i] * Q[(size_t)a * d + i];
                if (a == k) al[k] = pass ? al[k] + t : t;
                for (int i = 0; i < d; i++) w[i] -= t * Q[(size_t)a * d + i];
            }
        for (int i = 0; i < d; i++) b += w[i] * w[i];
        b = sqrt(b), be[k] = b, k++;
        mu = newton(al, be, k, norm, D, mu, s);
        if (k == most || b < 1e-14 || mu * b * fabs(s[k - 1]) < 1e-13 * norm) break; // the residual
        for (int i = 0; i < d; i++) w[i] /= b;
    }
    for (int i = 0; i < d; i++) theta[i] = 0;
    for (int a = 0; a < k; a++)
        for (int i = 0; i < d; i++) theta[i] += s[a] * Q[(size_t)a * d + i];
}
