/* The FastCGI program of the JSON endpoints; see web/api.h. */
#include "web/api.h"

int main(void)
{
    return web_main(&api_program);
}
