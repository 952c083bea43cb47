/* Answers of calls by the stock library and with the module. Each is written to a text, and both
 * texts must be equal. */

/* The text that is being written. */
static FILE *answers;
static char *written[2];
static size_t written_len;

/* Writes whether a call succeeded; failures have several numbers. */
static inline void say(const char *what, int returned)
{
    fprintf(answers, "%s: %d\n", what, returned == 1);
    ERR_clear_error();
}

static inline void say_bytes(const char *what, const unsigned char *bytes, size_t length)
{
    fprintf(answers, "%s: ", what);
    for (size_t i = 0; i < length; i++)
        fprintf(answers, "%02x", bytes[i]);
    fputc('\n', answers);
}

/* Begins the text of the stock library (0) or of the module (1). */
static inline void begin_answers(int i)
{
    answers = open_memstream(&written[i], &written_len);
    CHECK(answers);
}

static inline void end_answers(void)
{
    CHECK(!fclose(answers));
}

/* Returns 1 if the texts differ, and prints the differences; with `is_shown` prints equal lines,
 * too. */
static inline int answers_differ(int is_shown)
{
    char *rest[2];
    char *stock = strtok_r(written[0], "\n", &rest[0]);
    char *sigmill = strtok_r(written[1], "\n", &rest[1]);
    int differ = 0;
    while (stock && sigmill) {
        if (strcmp(stock, sigmill)) {
            printf("stock:   %s\nsigmill: %s\n", stock, sigmill);
            differ = 1;
        } else if (is_shown) {
            printf("%s\n", stock);
        }
        stock = strtok_r(NULL, "\n", &rest[0]);
        sigmill = strtok_r(NULL, "\n", &rest[1]);
    }
    CHECK(!stock && !sigmill);
    free(written[0]);
    free(written[1]);
    return differ;
}
