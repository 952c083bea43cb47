/* A library that is loaded before a program (LD_PRELOAD) and runs its `main` and its threads on
 * small stacks. The variable SMALL_STACK selects how:
 *
 *   job     inside ASYNC_start_job
 *   BYTES   on threads with a stack of this many bytes
 *   own     as usual, for a program that starts jobs itself; SIGTERM ends it
 *
 * At the end it prints the largest use of a stack to stderr. If memory below a stack was changed,
 * the status is 99. Our own code. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "stacks.h"

/* Functions of the running process, as libcrypto may be linked into the program. */
#define FIND(name) ((__typeof__(&name))dlsym(RTLD_DEFAULT, #name))
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void fail(const char *why)
{
    fprintf(stderr, "small_stack: %s\n", why);
    _Exit(98);
}

/* A function that runs on a small stack. */
struct call {
    void *(*function)(void *);
    void *argument, *result;
};

/* The value of SMALL_STACK, or null for nothing to do. */
static const char *how;
static size_t thread_size;
static int is_job;

/* Runs before anything else allocates. */
__attribute__((constructor)) static void at_start(void)
{
    how = getenv("SMALL_STACK");
    unsetenv("LD_PRELOAD");
    if (!how)
        return;
    is_job = !strcmp(how, "job");
    thread_size = strtoul(how, NULL, 10);
    if (thread_size)
        return;
    /* A program may have no libcrypto. */
    if (!FIND(CRYPTO_set_mem_functions))
        fail("no libcrypto");
    if (!FIND(CRYPTO_set_mem_functions)(stacks_malloc, stacks_realloc, stacks_free))
        fail("libcrypto has allocated already");
}

static int job(void *argument)
{
    struct call *call = *(struct call **)argument;
    call->result = call->function(call->argument);
    return 1;
}

static void *call_in_job(void *argument)
{
    struct call call = *(struct call *)argument, *place = &call;
    ASYNC_JOB *paused = NULL;
    int returned, state;
    free(argument);
    do
        state = FIND(ASYNC_start_job)(&paused, NULL, &returned, job, &place, sizeof place);
    while (state == ASYNC_PAUSE);
    if (state != ASYNC_FINISH)
        fail("no job");
    return call.result;
}

static int create(pthread_t *thread, const pthread_attr_t *given, void *(*function)(void *),
                  void *argument)
{
    if (!given && is_job) {
        struct call *call = malloc(sizeof *call);
        if (!call)
            fail("no memory");
        *call = (struct call){ function, argument, NULL };
        return NEXT(pthread_create)(thread, NULL, call_in_job, call);
    }
    if (given || !thread_size)
        return NEXT(pthread_create)(thread, given, function, argument);
    pthread_attr_t attributes;
    struct stack *stack = stack_new(thread_size);
    pthread_attr_init(&attributes);
    if (pthread_attr_setstack(&attributes, stack->start, stack->size))
        fail("no such stack");
    int error = NEXT(pthread_create)(thread, &attributes, function, argument);
    pthread_attr_destroy(&attributes);
    return error;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *given, void *(*function)(void *),
                   void *argument)
{
    return create(thread, given, function, argument);
}

/* Ends the process with status 99 if memory below a stack was changed. */
static void judge(void)
{
    size_t most = 0, over = 0;
    for (int i = 0; i < stack_count; i++) {
        size_t used = stack_used(&stacks[i]);
        most = used > most ? used : most;
        if (used > stacks[i].size && used - stacks[i].size > over)
            over = used - stacks[i].size;
    }
    fprintf(stderr, "small_stack: %d stacks, %zu bytes used at most, %zu below the end\n",
            stack_count, most, over);
    if (over) {
        fflush(NULL);
        syscall(SYS_exit_group, 99);
    }
}

__attribute__((destructor)) static void at_end(void)
{
    if (how)
        judge();
}

void _exit(int status)
{
    at_end();
    syscall(SYS_exit_group, status);
    __builtin_unreachable();
}

static int (*real_main)(int, char **, char **);
static char **arguments;
static int argument_count, status;

static void *run_main(void *none)
{
    status = real_main(argument_count, arguments, environ);
    return none;
}

static void end(int signal)
{
    (void)signal;
    _exit(0);
}

static int small_main(int count, char **given, char **environment)
{
    arguments = given;
    argument_count = count;
    if (is_job) {
        struct call *call = malloc(sizeof *call);
        if (!call)
            fail("no memory");
        *call = (struct call){ run_main, NULL, NULL };
        call_in_job(call);
    } else if (thread_size) {
        pthread_t thread;
        if (create(&thread, NULL, run_main, NULL) || pthread_join(thread, NULL))
            fail("no thread");
    } else {
        if (how)
            signal(SIGTERM, end);
        return real_main(count, given, environment);
    }
    return status;
}

int __libc_start_main(int (*main)(int, char **, char **), int count, char **given,
                      void (*init)(void), void (*fini)(void), void (*last)(void), void *stack)
{
    real_main = main;
    return NEXT(__libc_start_main)(small_main, count, given, init, fini, last, stack);
}
