/* FastCGI: turns and everybody who watches them. */
#include "web/stream/stream.h"

int main(void)
{
    return web_main(&stream_program);
}
