/*
 * The bench's reference: a FastCGI responder that computes nothing, with as many threads as our program has.
 *
 *     responder THREADS SOCKET
 *
 * It answers "empty", or N constant bytes when the query is "bytes=N" (N at most BYTES_MAX).
 */
#include <fcgiapp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BACKLOG   1024
#define BYTES_MAX (1024 * 1024)

static int listener;
static char constant[BYTES_MAX];

static void answer(FCGX_Request *r)
{
    const char *query = FCGX_GetParam("QUERY_STRING", r->envp);
    int bytes = 0;
    if (!query || sscanf(query, "bytes=%d", &bytes) != 1 || bytes <= 0 || bytes > BYTES_MAX) {
        FCGX_PutS("Content-Type: text/html\r\nContent-Length: 6\r\n\r\nempty\n", r->out);
        return;
    }
    FCGX_FPrintF(r->out, "Content-Type: text/html\r\nContent-Length: %d\r\n\r\n", bytes);
    FCGX_PutStr(constant, bytes, r->out);
}

static void *run(void *unused)
{
    (void)unused;
    FCGX_Request r;
    FCGX_InitRequest(&r, listener, 0);
    while (FCGX_Accept_r(&r) == 0) {
        answer(&r);
        FCGX_Finish_r(&r);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    int n = atoi(argv[1]);
    memset(constant, 'x', sizeof constant);
    FCGX_Init();
    umask(0); /* nginx's workers run as another user */
    listener = FCGX_OpenSocket(argv[2], BACKLOG);
    for (int i = 1; i < n; i++) {
        pthread_t t;
        pthread_create(&t, NULL, run, NULL);
    }
    run(NULL);
    return 0;
}
