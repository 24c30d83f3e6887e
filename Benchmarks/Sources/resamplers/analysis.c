// SPDX-License-Identifier: MIT
#include "analysis.h"

#include <math.h>

enum { most_terms = 10 };

static int basis(double *terms, double sample, double frequency, double time, int degree) {
    double angle = 2 * M_PI * frequency * sample, power = 1;
    int count = 0;
    for (int i = 0; i <= degree; i++) {
        terms[count++] = power * cos(angle);
        terms[count++] = power * sin(angle);
        power *= time;
    }
    return count;
}

// Gauss with pivots, of a symmetric matrix that is well enough conditioned.
static void solve(double a[most_terms][most_terms + 1], int n) {
    for (int column = 0; column < n; column++) {
        int pivot = column;
        for (int row = column + 1; row < n; row++) {
            pivot = fabs(a[row][column]) > fabs(a[pivot][column]) ? row : pivot;
        }
        for (int i = 0; i <= n; i++) {
            double kept = a[column][i];
            a[column][i] = a[pivot][i];
            a[pivot][i] = kept;
        }
        for (int row = 0; row < n; row++) {
            if (row != column) {
                double factor = a[row][column] / a[column][column];
                for (int i = column; i <= n; i++) {
                    a[row][i] -= factor * a[column][i];
                }
            }
        }
    }
    for (int row = 0; row < n; row++) {
        a[row][n] /= a[row][row];
    }
}

struct fit fit_sine(const float *samples, size_t count, size_t stride, double frequency, int degree) {
    double a[most_terms][most_terms + 1] = {{0}}, terms[most_terms];
    int n = 2 * (degree + 1);
    for (size_t i = 0; i < count; i++) {
        basis(terms, (double)i, frequency, 2.0 * (double)i / (double)count - 1, degree);
        for (int row = 0; row < n; row++) {
            for (int column = 0; column < n; column++) {
                a[row][column] += terms[row] * terms[column];
            }
            a[row][n] += terms[row] * (double)samples[i * stride];
        }
    }
    solve(a, n);
    double squares = 0;
    for (size_t i = 0; i < count; i++) {
        basis(terms, (double)i, frequency, 2.0 * (double)i / (double)count - 1, degree);
        double rest = (double)samples[i * stride];
        for (int row = 0; row < n; row++) {
            rest -= a[row][n] * terms[row];
        }
        squares += rest * rest;
    }
    return (struct fit){
        .amplitude = hypot(a[0][n], a[1][n]),
        .phase = atan2(a[0][n], a[1][n]),
        .residual = sqrt(squares / (double)count),
    };
}

double decibels(double ratio) {
    return 20 * log10(fmax(ratio, 1e-12));
}
