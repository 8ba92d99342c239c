/*
 * The bench's yardstick: a FastCGI responder that does nothing, with as many threads as ours has.
 *
 *     responder THREADS SOCKET
 */
#include <fcgiapp.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

#define BACKLOG 1024

static int listener;

static void *run(void *unused)
{
    (void)unused;
    FCGX_Request r;
    FCGX_InitRequest(&r, listener, 0);
    while (FCGX_Accept_r(&r) == 0) {
        FCGX_PutS("Content-Type: text/html\r\nContent-Length: 6\r\n\r\nempty\n", r.out);
        FCGX_Finish_r(&r);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    int n = atoi(argv[1]);
    FCGX_Init();
    umask(0); /* nginx's workers have another user */
    listener = FCGX_OpenSocket(argv[2], BACKLOG);
    for (int i = 1; i < n; i++) {
        pthread_t t;
        pthread_create(&t, NULL, run, NULL);
    }
    run(NULL);
    return 0;
}
