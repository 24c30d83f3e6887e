// SPDX-License-Identifier: MIT
#include "contenders.h"

#include "CAudioKernels.h"
#include "pipewire_mixer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// Each signal begins a page, as in PipeWire, whose buffers are as long as the longest quantum.
static float *signals[channels][most_sources];
static float *outputs[channels];
static float gains[channels][most_sources];

// A mixer for each number of sources that was chosen.
static struct pipewire_mixer *mixers[channels][most_sources + 1];
static struct pipewire_mixer *idle_mixers[channels][most_sources + 1];

static uint32_t source_count;
static uint32_t frames;

void contenders_prepare(void) {
    size_t signal_size = capacity * sizeof(float);
    size_t size = channels * (most_sources + 1) * signal_size;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        perror("mix-kernels");
        exit(1);
    }
    uint32_t noise = 1;
    for (int channel = 0; channel < channels; channel++) {
        outputs[channel] = (float *)memory;
        memory += signal_size;
        for (int source = 0; source < most_sources; source++) {
            signals[channel][source] = (float *)memory;
            memory += signal_size;
            for (int i = 0; i < capacity; i++) {
                noise = noise * 1664525 + 1013904223;
                signals[channel][source][i] = (float)(int32_t)noise / 2147483648.0f;
            }
            // Volume and pan: no two alike.
            gains[channel][source] = 0.2f + 0.01f * (float)(source + 3 * channel);
        }
    }
    cak_prepare();
    pipewire_mixer_load();
}

void contenders_choose(uint32_t count, uint32_t quantum) {
    source_count = count;
    frames = quantum;
    for (int channel = 0; channel < channels; channel++) {
        if (mixers[channel][count] == NULL) {
            mixers[channel][count] = pipewire_mixer_create(outputs[channel], signals[channel], count, capacity);
            idle_mixers[channel][count] = pipewire_mixer_create(outputs[channel], signals[channel], count, capacity);
            pipewire_mixer_set_frames(idle_mixers[channel][count], 0);
        }
        pipewire_mixer_set_frames(mixers[channel][count], quantum);
    }
}

// The inputs are filled in for each cycle, as a receiver does whose buffers are not always the same.
static void mix_with(float unmoved, float change) {
    struct cak_input inputs[most_sources];
    for (int channel = 0; channel < channels; channel++) {
        for (uint32_t i = 0; i < source_count; i++) {
            float gain = unmoved == 0 ? gains[channel][i] : unmoved;
            inputs[i] = (struct cak_input){
                .samples = signals[channel][i],
                .start = gain + change,
                .end = gain,
                .length = change == 0 ? 0 : frames,
            };
        }
        cak_mix(outputs[channel], inputs, source_count, frames);
    }
}

void mix_ours(void) {
    mix_with(0, 0);
}

void mix_ours_ramping(void) {
    mix_with(0, 0.1f);
}

void mix_pipewire(void) {
    for (int channel = 0; channel < channels; channel++) {
        pipewire_mixer_process(mixers[channel][source_count]);
    }
}

void mix_pipewire_node(void) {
    for (int channel = 0; channel < channels; channel++) {
        pipewire_mixer_process(idle_mixers[channel][source_count]);
    }
}

static void mix_plainly(float *restrict output, float *const *inputs, const float *input_gains) {
    memset(output, 0, frames * sizeof *output);
    for (uint32_t source = 0; source < source_count; source++) {
        const float *restrict input = inputs[source];
        float gain = input_gains[source];
        for (uint32_t i = 0; i < frames; i++) {
            output[i] += gain * input[i];
        }
    }
}

void mix_plain(void) {
    for (int channel = 0; channel < channels; channel++) {
        mix_plainly(outputs[channel], signals[channel], gains[channel]);
    }
}

static void check_alike(const float expected[channels][capacity], const char *what) {
    for (int channel = 0; channel < channels; channel++) {
        for (uint32_t i = 0; i < frames; i++) {
            if (!(fabsf(outputs[channel][i] - expected[channel][i]) <= 1e-4f)) {
                fprintf(stderr, "mix-kernels: %s is wrong: %g instead of %g in frame %u of channel %d, %u sources\n",
                        what, (double)outputs[channel][i], (double)expected[channel][i], i, channel, source_count);
                exit(1);
            }
        }
        // A contender that does not mix is found.
        memset(outputs[channel], 0xff, frames * sizeof(float));
    }
}

static void keep(float kept[channels][capacity]) {
    for (int channel = 0; channel < channels; channel++) {
        memcpy(kept[channel], outputs[channel], frames * sizeof(float));
        memset(outputs[channel], 0xff, frames * sizeof(float));
    }
}

void contenders_compare(void) {
    static float expected[channels][capacity];
    mix_plain();
    keep(expected);
    mix_ours();
    check_alike(expected, "cak_mix");
    mix_with(1, 0);
    keep(expected);
    mix_pipewire();
    check_alike(expected, "PipeWire's mixer");
    mix_with(1, 0);
    keep(expected);
    mix_pipewire_node();
    if (outputs[0][0] == expected[0][0]) {
        fprintf(stderr, "mix-kernels: the idle mixer mixes\n");
        exit(1);
    }
}
