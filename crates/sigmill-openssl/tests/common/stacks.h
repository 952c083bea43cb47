/* Stacks with painted memory around them, to measure the depth of calls. Our own code. */
#include <openssl/async.h>
#include <openssl/crypto.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

enum {
    /* The size of a fibre's stack, which libcrypto allocates (crypto/async/arch/async_posix.c). */
    FIBRE = 32768,
    /* Painted memory below each stack, in place of a neighbour on the heap. */
    BELOW = 1 << 20,
    PAINT = 0xa5,
    MOST_STACKS = 4096,
};

struct stack {
    unsigned char *start;
    size_t size;
};

static struct stack stacks[MOST_STACKS];
static int stack_count;

/* Returns a new painted stack, which is never freed. */
static inline struct stack *stack_new(size_t size)
{
    int i = __atomic_fetch_add(&stack_count, 1, __ATOMIC_SEQ_CST);
    void *memory = mmap(NULL, BELOW + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                        -1, 0);
    if (i >= MOST_STACKS || memory == MAP_FAILED)
        abort();
    memset(memory, PAINT, BELOW + size);
    stacks[i] = (struct stack){ (unsigned char *)memory + BELOW, size };
    return &stacks[i];
}

/* Returns the lowest byte that was written, including the memory below the stack. */
static inline const unsigned char *stack_lowest(const struct stack *stack)
{
    const unsigned char *at = stack->start - BELOW, *end = stack->start + stack->size;
    while (at < end && *at == PAINT)
        at++;
    return at;
}

static inline size_t stack_used(const struct stack *stack)
{
    return (size_t)(stack->start + stack->size - stack_lowest(stack));
}

/* Allocation functions for libcrypto, in which the stacks of fibres are ours. */
static inline void *stacks_malloc(size_t size, const char *file, int line)
{
    (void)line;
    if (size == FIBRE && file && strstr(file, "async_posix"))
        return stack_new(size)->start;
    return malloc(size);
}

static inline void *stacks_realloc(void *memory, size_t size, const char *file, int line)
{
    (void)file, (void)line;
    return realloc(memory, size);
}

static inline void stacks_free(void *memory, const char *file, int line)
{
    (void)line;
    if (!file || !strstr(file, "async_posix"))
        free(memory);
}
