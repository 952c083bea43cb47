/* Engines in the children of a process that forks. One engine has threads of its own, which do not
 * exist in a child. Three threads of the program use the other engine without a pause, so that
 * locks are held at the moment of the fork. SIGMILL_FORKS is the number of children of the latter
 * (300). */
#define _GNU_SOURCE
#include <pthread.h>
#include <sigmill.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                      \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

/* A child hangs if it needs more than SECONDS. */
enum { KEYS = 60, ROWS = 600, THREADS = 3, SECONDS = 60 };

struct row {
  uint8_t key[33], digest[32], signature[64];
};

static struct row table[ROWS];
static sigmill_engine *shared;
static atomic_int ends;

/* Every third signature is changed. The rows alternate between the keys. */
static void make_rows(void) {
  for (int k = 0; k < KEYS; k++) {
    sigmill_signing_key *secret;
    sigmill_verifying_key *key;
    CHECK(sigmill_signing_key_generate(SIGMILL_CURVE_P256, &secret) == SIGMILL_OK);
    CHECK(sigmill_signing_key_verifying_key(secret, &key) == SIGMILL_OK);
    for (int i = k; i < ROWS; i += KEYS) {
      size_t key_len = sizeof table[i].key, len = sizeof table[i].signature;
      table[i].digest[0] = (uint8_t)(i + 1);
      table[i].digest[1] = (uint8_t)(i >> 8);
      CHECK(sigmill_verifying_key_to_sec1(key, 1, table[i].key, &key_len) == SIGMILL_OK);
      CHECK(sigmill_sign_prehash(secret, table[i].digest, 32, SIGMILL_FORMAT_P1363,
                                 table[i].signature, &len) == SIGMILL_OK);
      table[i].signature[63] ^= i % 3 == 0;
    }
    sigmill_verifying_key_free(key);
    sigmill_signing_key_free(secret);
  }
}

/* Returns the number of valid rows among `count` from `first` on. */
static size_t verify(const sigmill_engine *engine, int first, int count) {
  static _Thread_local sigmill_error verdicts[ROWS];
  const size_t stride = sizeof(struct row);
  sigmill_rows rows = {
      .len = (size_t)count,
      .curve = SIGMILL_CURVE_P256,
      .format = SIGMILL_FORMAT_P1363,
      .input = SIGMILL_INPUT_DIGEST,
      .keys = {.data = table[first].key, .stride = stride, .len = 33},
      .inputs = {.data = table[first].digest, .stride = stride, .len = 32},
      .signatures = {.data = table[first].signature, .stride = stride, .len = 64},
  };
  size_t valid;
  CHECK(sigmill_engine_verify(engine, &rows, verdicts, &valid, NULL) == SIGMILL_OK);
  for (int i = 0; i < count; i++)
    CHECK((verdicts[i] == SIGMILL_OK) == ((first + i) % 3 != 0));
  return valid;
}

static int next(unsigned *state) {
  *state = *state * 1103515245u + 12345u;
  return (int)(*state >> 16) % ROWS;
}

static void *work(void *seed) {
  unsigned state = *(unsigned *)seed;
  while (!atomic_load(&ends))
    verify(shared, next(&state), 1);
  return NULL;
}

/* Returns 1 if a child hung. A child that failed is an error. */
static int has_hung(pid_t child) {
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    return 1;
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  return 0;
}

static void with_threads_of_the_engine(void) {
  sigmill_engine *engine;
  CHECK(sigmill_engine_new(2, SIGMILL_KEY_MEMORY, 0, 0, &engine) == SIGMILL_OK);
  size_t valid = verify(engine, 0, ROWS);
  fflush(stdout);
  pid_t child = fork();
  CHECK(child >= 0);
  if (!child) {
    alarm(SECONDS);
    printf("a child of an engine with threads: %zu of %d valid\n", verify(engine, 0, ROWS), ROWS);
    fflush(stdout);
    /* Nor does sigmill_engine_free wait for threads that do not exist here. */
    sigmill_engine_free(engine);
    _exit(0);
  }
  CHECK(!has_hung(child));
  CHECK(verify(engine, 0, ROWS) == valid);
  sigmill_engine_free(engine);
}

static void with_threads_of_the_program(int forks) {
  /* Too little memory for all tables, so that write locks are taken too. */
  CHECK(sigmill_engine_new(1, 1 << 20, 0, 0, &shared) == SIGMILL_OK);
  verify(shared, 0, ROWS);
  pthread_t threads[THREADS];
  unsigned seeds[THREADS];
  for (unsigned i = 0; i < THREADS; i++) {
    seeds[i] = i + 1;
    CHECK(!pthread_create(&threads[i], NULL, work, &seeds[i]));
  }
  int hung = 0;
  for (int i = 0; i < forks; i++) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (!child) {
      unsigned state = 1000u + (unsigned)i;
      alarm(SECONDS);
      for (int j = 0; j < 16; j++)
        verify(shared, next(&state), 1);
      _exit(0);
    }
    hung += has_hung(child);
  }
  atomic_store(&ends, 1);
  for (unsigned i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  sigmill_engine_free(shared);
  printf("%d children hung\n", hung);
}

int main(void) {
  const char *forks = getenv("SIGMILL_FORKS");
  make_rows();
  with_threads_of_the_engine();
  with_threads_of_the_program(forks ? atoi(forks) : 300);
  return 0;
}
