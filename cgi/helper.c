/* The background process: titles and sweeping. */
#include "helper/helper.h"

int main(void)
{
    return helper_main();
}
