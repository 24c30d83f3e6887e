// SPDX-License-Identifier: MIT
// PipeWire's own mixer: the node that libpipewire puts before an input port that more than one link leads to. It sums
// 32-bit float mono signals without a gain. Set up and run as libpipewire does it (impl-port.c).
#pragma once
#include <spa/buffer/buffer.h>
#include <spa/node/io.h>
#include <stdint.h>

enum { pipewire_mixer_most_inputs = 64 };

// A port's buffer, described as the node wants it.
struct pipewire_mixer_port {
    struct spa_io_buffers io;
    struct spa_chunk chunk;
    struct spa_data data;
    struct spa_buffer buffer;
};

struct pipewire_mixer {
    struct spa_node *node;
    struct spa_io_position position;
    uint32_t input_count;
    struct pipewire_mixer_port inputs[pipewire_mixer_most_inputs];
    struct pipewire_mixer_port output;
};

// Loads the installed plugin. Ends the program with a sentence if anything fails.
void pipewire_mixer_load(void);

// Makes a mixer of these inputs, each with room for `capacity` frames. It is never freed.
struct pipewire_mixer *pipewire_mixer_create(
    float *output, float *const *inputs, uint32_t input_count, uint32_t capacity);

// Sets the number of frames of the inputs from the next cycle on.
void pipewire_mixer_set_frames(struct pipewire_mixer *mixer, uint32_t frames);

// One cycle: the buffers' state that the ports upstream would set, and the node's own work.
void pipewire_mixer_process(struct pipewire_mixer *mixer);
