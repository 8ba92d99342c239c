#include "cli/terminal.h"

#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static bool read_line(char *out, size_t size)
{
    if (!fgets(out, (int)size, stdin))
        return false;
    size_t n = strcspn(out, "\r\n");
    bool whole = out[n] != '\0' || feof(stdin);
    out[n] = '\0';
    return whole;
}

bool terminal_ask(const char *question, char *out, size_t size)
{
    fprintf(stderr, "%s ", question);
    bool got = read_line(out, size);
    if (!isatty(STDIN_FILENO))
        fputc('\n', stderr); /* the user's Enter is not echoed */
    return got;
}

bool terminal_ask_secret(const char *question, char *out, size_t size)
{
    struct termios before, quiet;
    if (tcgetattr(STDIN_FILENO, &before) != 0)
        return read_line(out, size);
    quiet = before;
    quiet.c_lflag &= ~(tcflag_t)ECHO;
    fprintf(stderr, "%s: ", question);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
    bool got = read_line(out, size);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
    fputc('\n', stderr);
    return got;
}
