/* Pictures in the requests of the three interfaces, and how servers refuse them. */
#include "unit.h"

#include "llm/llm_run.h"

#define OK_OPENAI                                                         \
    FAKE_OK("text/event-stream")                                          \
    "data: {\"choices\":[{\"delta\":{\"content\":\"ok\"}}]}\n\n"          \
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n" \
    "data: [DONE]\n\n"
#define ANSWER(status, body) "HTTP/1.1 " status "\r\nConnection: close\r\n\r\n" body
#define ERROR(message)       "{\"error\":{\"message\":\"" message "\"}}"

static const struct llm_picture two[] = {
    {"image/png", {"iVBORw0=", 8}, "pic_secret", 1, 2}, {"image/webp", {"UklGRg==", 8}, "pic_2", 3, 4}};

static struct llm_message asks(const char *text, const char *aside)
{
    return (struct llm_message){
        .role = LLM_USER, .text = str_of(text), .aside = str_of(aside), .pictures = two, .pictures_n = 2};
}

/* The part `wanted` is in the body of a request with one question. */
static void sends(const char *kind, bool responses, struct llm_message question, const char *wanted)
{
    const struct llm_request r = {
        .model = "m", .messages = &question, .messages_n = 1, .responses = responses, .reasons = responses};
    struct llm_run run = {.kind = kind, .request = &r};
    llm_run(&run, &(struct fake_reply){.text = OK_OPENAI}, 1);
    if (!strstr(run.requests.s, wanted))
        fail_msg("%s", run.requests.s);
    assert_null(strstr(run.requests.s, "pic_")); /* the caller's ids stay here */
    llm_run_release(&run);
}

#define CHAT_PICTURES                                                                      \
    "{\"role\":\"user\",\"content\":["                                                     \
    "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,iVBORw0=\"}}," \
    "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/webp;base64,UklGRg==\"}}"
#define RESPONSES_PICTURES                                                                             \
    "\"role\":\"user\",\"content\":["                                                                  \
    "{\"type\":\"input_image\",\"image_url\":\"data:image/png;base64,iVBORw0=\",\"detail\":\"auto\"}," \
    "{\"type\":\"input_image\",\"image_url\":\"data:image/webp;base64,UklGRg==\",\"detail\":\"auto\"}"
#define CLAUDE_PICTURES                                                                                     \
    "{\"role\":\"user\",\"content\":["                                                                      \
    "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"iVBORw0="  \
    "\"}},"                                                                                                 \
    "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/webp\",\"data\":\"UklGRg==" \
    "\"}}"

TEST(pictures_come_before_the_text_in_each_interface)
{
    sends("openai", false, asks("What \"is\" it?", ""),
        CHAT_PICTURES ",{\"type\":\"text\",\"text\":\"What \\\"is\\\" it?\"}]}");
    sends("openai", true, asks("What \"is\" it?", ""),
        RESPONSES_PICTURES ",{\"type\":\"input_text\",\"text\":\"What \\\"is\\\" it?\"}]}");
    sends("anthropic", false, asks("What \"is\" it?", ""),
        CLAUDE_PICTURES ",{\"type\":\"text\",\"text\":\"What \\\"is\\\" it?\"");
}

TEST(pictures_without_a_text_have_no_empty_part)
{
    sends("openai", false, asks("", ""), CHAT_PICTURES "]}");
    sends("openai", true, asks("", ""), RESPONSES_PICTURES "]}");
    sends("anthropic", false, asks("", ""), CLAUDE_PICTURES "]}");
}

TEST(the_data_of_the_request_follows_pictures_without_a_gap)
{
    sends("openai", false, asks("", "now"), CHAT_PICTURES ",{\"type\":\"text\",\"text\":\"now\"}]}");
    sends("openai", false, asks("a", "now"), ",{\"type\":\"text\",\"text\":\"a\\n\\nnow\"}]}");
    sends(
        "openai", true, asks("", "now"), RESPONSES_PICTURES ",{\"type\":\"input_text\",\"text\":\"now\"}]}");
    sends("openai", true, asks("a", "now"), ",{\"type\":\"input_text\",\"text\":\"a\\n\\nnow\"}]}");
    sends("anthropic", false, asks("", "now"), CLAUDE_PICTURES ",{\"type\":\"text\",\"text\":\"now\"");
}

TEST(a_message_without_pictures_is_one_string)
{
    struct llm_message plain = {.role = LLM_USER, .text = STR("hi")};
    sends("openai", false, plain, "{\"role\":\"user\",\"content\":\"hi\"}");
    sends("openai", true, plain, "\"role\":\"user\",\"content\":\"hi\"");
}

static const struct {
    const char *answer;
    enum llm_problem problem;
} refusals[] = {
    /* OpenAI, DeepSeek, Groq, OpenRouter, llama.cpp, Ollama, LM Studio, vLLM */
    {ANSWER("400 Bad", ERROR("Invalid content type. image_url is only supported by certain models.")),
        LLM_PROBLEM_NO_PICTURES},
    {ANSWER("422 Bad", ERROR("Failed to deserialize the JSON body into the target type: messages[1]: unknown "
                             "variant `image_url`, expected `text` at line 1 column 679")),
        LLM_PROBLEM_NO_PICTURES},
    {ANSWER("400 Bad", ERROR("'messages.0' : for 'role:user' the following must be satisfied: "
                             "messages[0].content must be a string")),
        LLM_PROBLEM_NO_PICTURES},
    {ANSWER("404 No", ERROR("No endpoints found that support image input")), LLM_PROBLEM_NO_PICTURES},
    {ANSWER("500 No", ERROR("image input is not supported - hint: if this is unexpected, you may need to "
                            "provide the mmproj")),
        LLM_PROBLEM_NO_PICTURES},
    {ANSWER("400 Bad", ERROR("this model does not support image input")), LLM_PROBLEM_NO_PICTURES},
    {ANSWER("500 No", ERROR("this model is missing data required for image input")), LLM_PROBLEM_NO_PICTURES},
    {ANSWER("400 Bad", "{\"error\":\"Model does not support images. Please use a model that does.\"}"),
        LLM_PROBLEM_NO_PICTURES},
    {ANSWER("400 Bad", ERROR("m is not a multimodal model")), LLM_PROBLEM_NO_PICTURES},
    {ANSWER("400 Bad", "{\"object\":\"error\",\"message\":\"At most 0 image(s) may be provided in one "
                       "prompt.\",\"code\":400}"),
        LLM_PROBLEM_NO_PICTURES},
    /* vLLM, Groq, Anthropic */
    {ANSWER("400 Bad", "{\"object\":\"error\",\"message\":\"At most 1 image(s) may be provided in one "
                       "prompt.\",\"code\":400}"),
        LLM_PROBLEM_MANY_PICTURES},
    {ANSWER("400 Bad", "{\"object\":\"error\",\"message\":\"At most 10 image(s) may be provided in one "
                       "prompt.\",\"code\":400}"),
        LLM_PROBLEM_MANY_PICTURES},
    {ANSWER("400 Bad", ERROR("Too many images provided. This model supports up to 5 images")),
        LLM_PROBLEM_MANY_PICTURES},
    {ANSWER("400 Bad", ERROR("messages: too many total images")), LLM_PROBLEM_MANY_PICTURES},
    /* a picture that is wrong says nothing about the model */
    {ANSWER("400 Bad", ERROR("messages.0.content.0.image.source.base64: image exceeds 5 MB maximum: 6291456 "
                             "bytes > 5242880 bytes")),
        LLM_PROBLEM_OTHER},
    {ANSWER("400 Bad", ERROR("messages.0.content.0.image.source.base64.data: At least one of the image "
                             "dimensions exceed max allowed size: 8000 pixels")),
        LLM_PROBLEM_OTHER},
    {ANSWER("400 Bad", ERROR("Could not process image")), LLM_PROBLEM_OTHER},
    {ANSWER("400 Bad", ERROR("You uploaded an unsupported image. Please make sure your image is valid.")),
        LLM_PROBLEM_OTHER},
    /* nor do refusals of something else, of access, and of a busy server */
    {ANSWER("400 Bad", ERROR("At most 4 stop sequences may be given.")), LLM_PROBLEM_OTHER},
    {ANSWER("403 No", ERROR("Your plan does not support images.")), LLM_PROBLEM_OTHER},
    {ANSWER("401 No", ERROR("This key does not support image input")), LLM_PROBLEM_OTHER},
    {ANSWER("400 Bad", ERROR("m does not support tools")), LLM_PROBLEM_NO_TOOLS},
    {ANSWER("413 No", ERROR("too many images")), LLM_PROBLEM_TOO_LONG},
};

TEST(refusals_of_pictures_are_known_by_their_words)
{
    const struct llm_message question = asks("What?", "");
    const struct llm_request r = {.model = "m", .messages = &question, .messages_n = 1};
    for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
        struct llm_run run = {.kind = "openai", .request = &r};
        struct fake_reply replies[] = {{.text = refusals[i].answer}, {.text = refusals[i].answer},
            {.text = refusals[i].answer}, {.text = refusals[i].answer}};
        llm_run(&run, replies, 4);
        if (run.problem != refusals[i].problem)
            fail_msg("refusal %zu: problem %d: %s", i, (int)run.problem, run.err.text);
        if (run.problem == LLM_PROBLEM_NO_PICTURES && !strstr(run.err.text, "does not support pictures"))
            fail_msg("%s", run.err.text);
        llm_run_release(&run);
    }
}
