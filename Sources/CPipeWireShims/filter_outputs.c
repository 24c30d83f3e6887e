// SPDX-License-Identifier: MIT
// The memory of outputs, held for as long as the audio thread may write into it.
//
// libpipewire frees a buffer of an output without regard to the audio thread.
//
// Up to 0.3.65 it does not even take the buffer out of the port's queue when another client destroys the port in the
// graph: the next cycle would write into unmapped memory. Later versions empty the queue on another thread while a
// cycle may be writing.
#include <pipewire/filter.h>
#include <pipewire/pipewire.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "filter_private.h"
#include "private.h"

// The largest offset in a file of another process: 64 buffers of 8192 frames are 2 MiB.
enum { LAST_OFFSET = 16 << 20 };

// Takes another reference to the mapping of a buffer, so that it stays when libpipewire drops its own.
//
// A mapping can only be found by its place in the file, which is not published: the mapping that begins with the
// buffer's page is the right one.
static struct pw_memmap *hold(struct pbpw_filter *filter, const struct spa_data *data) {
    struct pw_mempool *pool = pw_core_get_mempool(pw_filter_get_core(filter->filter));
    struct pw_memblock *block = pw_mempool_find_ptr(pool, data->chunk);
    struct stat file;
    // Samples elsewhere are mapped by pw_filter itself, which keeps them as long as it keeps the buffer.
    if (block == NULL || data->type != SPA_DATA_MemPtr || fstat(block->fd, &file) < 0) {
        return NULL;
    }
    const uint32_t size = (uint32_t)sysconf(_SC_PAGESIZE);
    const uintptr_t page = (uintptr_t)data->chunk & ~((uintptr_t)size - 1);
    for (uint32_t offset = 0; (off_t)offset < file.st_size && offset <= LAST_OFFSET; offset += size) {
        struct pw_memmap *memory = pw_memblock_map(block, PW_MEMMAP_FLAG_READWRITE, offset, 1, NULL);
        if (memory == NULL) {
            return NULL;
        }
        if ((uintptr_t)memory->ptr == page) {
            return memory;
        }
        pw_memmap_free(memory);
    }
    return NULL;
}

static void free_output(struct output *output) {
    spa_list_remove(&output->link);
    if (output->memory != NULL) {
        pw_memmap_free(output->memory);
    }
    free(output);
}

void pbpw_output_add(struct pbpw_filter *filter, struct pw_buffer *buffer) {
    // The audio thread may have the buffer already. It writes nothing until the size is set.
    const struct spa_data *data = buffer->buffer->n_datas > 0 ? &buffer->buffer->datas[0] : NULL;
    if (data == NULL || data->data == NULL || data->chunk == NULL) {
        return;
    }
    struct output *output = calloc(1, sizeof *output);
    if (output == NULL) {
        return;
    }
    *output = (struct output){.samples = data->data, .chunk = data->chunk, .memory = hold(filter, data)};
    spa_list_append(&filter->held, &output->link);
    buffer->user_data = output;
    __atomic_store_n(&buffer->size, data->maxsize / sizeof(float), __ATOMIC_RELEASE);
}

void pbpw_output_remove(struct pbpw_filter *filter, struct pw_buffer *buffer) {
    struct output *output = buffer->user_data;
    if (output == NULL) {
        return;
    }
    __atomic_store_n(&buffer->size, 0, __ATOMIC_RELEASE);
    pbpw_filter_wait_for_cycle(filter);
    buffer->user_data = NULL;
    free_output(output);
}

void pbpw_outputs_free(struct pbpw_filter *filter) {
    struct output *output;
    spa_list_consume(output, &filter->held, link) {
        free_output(output);
    }
}
