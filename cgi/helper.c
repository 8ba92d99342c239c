/* The background process: embeddings, titles, topics, summaries, sweeping. */
#include "helper/helper.h"

int main(void)
{
    return helper_main();
}
