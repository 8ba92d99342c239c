/* The FastCGI program of all pages; see web/pages.h. */
#include "web/page/pages.h"

int main(void)
{
    return web_main(&pages_program);
}
