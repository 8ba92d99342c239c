/*
 * Stands in for pdftotext: the file says what to do, so that a test sees what a parser that was taken over
 * could do. "%PDF-1.4 read PATH" prints the file PATH, "flood" prints without an end, "hang" waits without an
 * end.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    char command[16] = "", path[4096] = "", line[4096];
    if (scanf("%%PDF-1.4 %15s %4095s", command, path) < 1)
        return 1;
    while (strcmp(command, "flood") == 0)
        puts("and so on");
    while (strcmp(command, "hang") == 0)
        pause();
    FILE *f = fopen(path, "r");
    if (!f)
        printf("refused: %s\n", strerror(errno));
    while (f && fgets(line, sizeof line, f))
        fputs(line, stdout);
    return 0;
}
