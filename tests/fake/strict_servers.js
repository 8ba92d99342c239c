// The lists and refusals of each model server. Sources:
// - llama.cpp: tools/server/README.md and pull request 15780
// - Ollama: docs/api.md and server/routes.go
// - LM Studio: its REST API v0
// - vLLM, OpenAI: their error bodies
// - OpenRouter, Anthropic: their documentation
// - Mistral: errors in vybestack/llxprt-code 114 and langchain pull request 24668
// - DeepSeek: its guide of the thinking mode, and QwenLM/qwen-code 3715
// - Gemini: its page about thought signatures, googleapis/python-genai 2868 and THU-MAIC/OpenMAIC 1556
// - Azure: its reference, and anomalyco/opencode 37964 and 10996
// - Databricks: continuedev/continue 12936, anomalyco/opencode 31156
// - refusals of a system message: google/adk-python 3900, lmstudio-ai/lms 458, arcee-ai/fastmlx 22

const openaiError = (message, type = 'invalid_request_error', more = {}) => ({ error: { message, type, param: null, code: null, ...more } });
const vllmError = (message, type = 'BadRequestError', code = 400) => ({ object: 'error', message, type, param: null, code });
const llamaError = (message, type = 'invalid_request_error', code = 400, more = {}) => ({ error: { code, message, type, ...more } });
const mistralError = (message, type = 'invalid_request_error', code = null) => ({ object: 'error', message, type, param: null, code });
const geminiError = (message, status = 'INVALID_ARGUMENT', code = 400) => [{ error: { code, message, status } }];
const claudeError = (message, type = 'invalid_request_error') => ({ type: 'error', error: { type, message } });

const plainList = (owner, more = () => ({})) => (models) => ({ object: 'list', data: models.map((m) => ({ id: m.id, object: 'model', created: m.created ?? 1, owned_by: owner, ...more(m) })) });

function claudeList(models, url) {
    const after = url.searchParams.get('after_id');
    const from = after ? models.findIndex((m) => m.id === after) + 1 : 0;
    const page = models.slice(from, from + 2); // small pages, so that paging is tested
    const data = page.map((m) => ({ type: 'model', id: m.id, display_name: m.id, created_at: '2026-01-01T00:00:00Z' }));
    return { data, first_id: page[0]?.id ?? null, last_id: page.at(-1)?.id ?? null, has_more: from + 2 < models.length };
}

const routerList = (models) => ({
    data: models.map((m) => ({
        id: m.id, created: 1, context_length: m.window, supported_parameters: m.tools === false ? ['max_tokens'] : ['max_tokens', 'tools'],
        architecture: { input_modalities: m.images ? ['text', 'image'] : ['text'], output_modalities: ['text'] },
    })),
});

const openaiTooLong = (m, tokens) => [400, openaiError(`This model's maximum context length is ${m.window} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`, 'invalid_request_error', { param: 'messages', code: 'context_length_exceeded' })];
const noModel = (name) => [404, openaiError(`The model \`${name}\` does not exist or you do not have access to it.`, 'invalid_request_error', { code: 'model_not_found' })];

/**
 * A server has these functions; a refusal is [status, body]:
 * - list(models, url): the list of models
 * - tooLong(model, tokens, limit of the answer): the refusal; null: the server cuts the prompt silently
 * - noTools(model), noModel(name), bad(sentence): the refusals
 *
 * And, where it differs from OpenAI:
 * - base: the addresses before /chat/completions and /models
 * - keyHeader: the header with the key
 * - callId: the form of the ids of calls
 * - noNull: it takes no null as the content of a message with calls
 * - noSystem(model): the refusal of a system message
 * - progress: it takes return_progress
 * - repetitions: a limit of its schemas, grammarRefuses()
 * - fields: other members of a request that are its own
 * - unknown(member): the refusal of a member that it does not know
 * - searches: it has OpenRouter's web search
 * - lacks: OpenAI's members that it refuses; without stream_options it always sends the usage
 * - prefix: a message may have `prefix`
 * - newLimit: models that reason refuse max_tokens
 * - first: an event before the first one with a choice
 * - alive: a comment before that event
 * - noIndex: calls have no index and come at once, with "stop" at their end
 * - reasoning: the member of a delta that has it, which goes back with a call
 * - allReasoning: models that reason want the reasoning of every earlier answer
 * - silentReasoning: reasoning is counted, in the total only, and not sent
 * - thinkingParts: reasoning is a part of the content
 * - signs: calls need their signature
 */
export const servers = {
    openai: {
        newLimit: true,
        list: plainList('system'),
        tooLong: openaiTooLong,
        noTools: (m) => [400, openaiError(`${m.id} does not support tools.`, 'invalid_request_error', { param: 'tools' })],
        noModel,
        bad: (sentence) => [400, openaiError(sentence)],
    },
    openrouter: {
        list: routerList,
        tooLong: (m, tokens) => [400, { error: { message: `This endpoint's maximum context length is ${m.window} tokens. However, you requested about ${tokens} tokens (${tokens} of text input). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.`, code: 400 } }],
        noTools: () => [404, { error: { message: 'No endpoints found that support tool use.', code: 404 } }],
        noModel: (name) => [400, { error: { message: `${name} is not a valid model ID`, code: 400 } }],
        bad: (sentence) => [400, { error: { message: 'Provider returned error', code: 400, metadata: { raw: JSON.stringify(openaiError(sentence)), provider_name: 'Maker' } } }],
        reasoning: 'reasoning',
        searches: true,
    },
    'llama.cpp': {
        list: plainList('llamacpp', () => ({ meta: { n_ctx_train: 131072 } })),
        tooLong: (m, tokens) => [400, llamaError('the request exceeds the available context size, try increasing it', 'exceed_context_size_error', 400, { n_prompt_tokens: tokens, n_ctx: m.window })],
        noTools: () => [500, llamaError('tools param requires --jinja flag', 'server_error', 500)],
        noModel: null, // answers with its only model
        bad: (sentence) => [400, llamaError(sentence)],
        reasoning: 'reasoning_content',
        progress: true, // pull request 15827
        repetitions: 2000,
    },
    ollama: {
        list: (models, url) => ({ ...plainList('library')(models, url), ...(models.length === 0 && { data: null }) }), // openai/openai.go, ToListCompletion
        tooLong: null,
        noTools: (m) => [400, openaiError(`registry.ollama.ai/library/${m.id} does not support tools`, 'api_error')],
        noModel: (name) => [404, openaiError(`model "${name}" not found, try pulling it first`, 'api_error')],
        bad: (sentence) => [400, openaiError(sentence, 'api_error')],
        reasoning: 'reasoning',
    },
    lmstudio: {
        list: plainList('organization_owner'),
        tooLong: (m, tokens) => [400, { error: `Cannot truncate prompt with n_keep (${tokens}) >= n_ctx (${m.window})` }], // of 0.4; before it "Trying to keep the first N tokens ..."
        noTools: null, // it describes the tools in the prompt
        noModel: (name) => [404, openaiError(`Model "${name}" not found. Please specify a valid model.`, 'invalid_request_error', { param: 'model', code: 'model_not_found' })],
        bad: (sentence) => [400, { error: sentence }],
        noSystem: () => 'Error rendering prompt with jinja template: "Only user and assistant roles are supported!".',
        noNull: true, // lmstudio-bug-tracker 261, and shanevcantwell/langgraph-agentic-scaffold 89 of 2026
        reasoning: 'reasoning_content',
    },
    vllm: {
        list: plainList('vllm', (m) => ({ max_model_len: m.window })),
        tooLong: (m, tokens) => [400, vllmError(`This model's maximum context length is ${m.window} tokens. However, you requested ${tokens} tokens in the messages, Please reduce the length of the messages.`)],
        noTools: () => [400, vllmError('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set')],
        noModel: (name) => [404, vllmError(`The model \`${name}\` does not exist.`, 'NotFoundError', 404)],
        bad: (sentence) => [400, vllmError(sentence)],
        fields: ['continue_final_message', 'add_generation_prompt'],
        reasoning: 'reasoning_content',
    },
    mistral: {
        list: plainList('mistralai', (m) => ({ capabilities: { completion_chat: true, function_calling: m.tools !== false, vision: !!m.images }, max_context_length: m.window })),
        tooLong: (m, tokens) => [400, mistralError(`Prompt contains ${tokens} tokens and 0 draft tokens, too large for model with ${m.window} maximum context length`, 'invalid_request_invalid_args', '3051')],
        noTools: () => [400, mistralError('Function calling is not enabled for this model', 'invalid_request_error', '3000')],
        noModel: (name) => [400, mistralError(`Invalid model: ${name}`, 'invalid_model', '1500')],
        bad: (sentence) => [422, mistralError({ detail: [{ type: 'value_error', loc: ['body'], msg: sentence }] })],
        lacks: ['stream_options', 'max_completion_tokens', 'reasoning_effort'],
        prefix: true,
        thinkingParts: true,
        callId: /^[a-zA-Z0-9]{9}$/,
    },
    gemini: {
        base: '/v1beta/openai',
        list: (models) => ({ object: 'list', data: models.map((m) => ({ id: `models/${m.id}`, object: 'model', owned_by: 'google', display_name: m.id })) }),
        tooLong: (m, tokens) => [400, geminiError(`The input token count (${tokens}) exceeds the maximum number of tokens allowed (${m.window}).`)],
        noTools: (m) => [400, geminiError(`Function calling is not enabled for models/${m.id}`)],
        noModel: (name) => [404, geminiError(`models/${name} is not found for API version v1main, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`, 'NOT_FOUND', 404)],
        bad: (sentence) => [400, geminiError(sentence)],
        wrongKey: [400, geminiError('API key not valid. Please pass a valid API key.')],
        noSystem: (m) => `Developer instruction is not enabled for models/${m.id}`, // of Gemma
        lacks: ['audio', 'logit_bias', 'metadata', 'modalities', 'prediction', 'prompt_cache_key', 'safety_identifier', 'service_tier', 'store', 'verbosity', 'web_search_options'],
        signs: true,
        noIndex: true,
        silentReasoning: true,
    },
    deepseek: {
        list: (models) => ({ object: 'list', data: models.map((m) => ({ id: m.id, object: 'model', owned_by: 'deepseek' })) }),
        tooLong: (m, tokens) => [400, openaiError(`This model's maximum context length is ${m.window} tokens. However, you requested ${tokens} tokens (${tokens} in the messages, 0 in the completion). Please reduce the length of the messages or completion.`, 'invalid_request_error', { code: 'invalid_request_error' })],
        noTools: (m) => [400, openaiError(`${m.id} does not support Function Calling`, 'invalid_request_error', { code: 'invalid_request_error' })],
        noModel: () => [400, openaiError('Model Not Exist', 'invalid_request_error', { code: 'invalid_request_error' })],
        bad: (sentence) => [400, openaiError(sentence, 'invalid_request_error', { code: 'invalid_request_error' })],
        lacks: ['max_completion_tokens', 'metadata', 'store', 'service_tier', 'prompt_cache_key'],
        reasoning: 'reasoning_content',
        allReasoning: true,
        alive: true,
    },
    zhipu: {
        list: plainList('z-ai'),
        tooLong: () => [400, { error: { code: '1261', message: 'Prompt exceeds max length' } }],
        noTools: null,
        noModel: () => [400, { error: { code: '1211', message: 'Unknown Model, please check the model code.' } }],
        bad: (sentence) => [400, { error: { code: '1210', message: `Invalid API parameter, please check the documentation. ${sentence}` } }],
        reasoning: 'reasoning_content',
    },
    databricks: {
        list: plainList('databricks'),
        tooLong: openaiTooLong,
        noTools: (m) => [400, { error_code: 'BAD_REQUEST', message: `${m.id} does not support tools.` }],
        noModel: (name) => [404, { error_code: 'RESOURCE_DOES_NOT_EXIST', message: `Endpoint with name '${name}' does not exist.` }],
        bad: (sentence) => [400, { error_code: 'BAD_REQUEST', message: `Bad request: ${sentence}` }],
        unknown: (name) => `json: unknown field "${name}"`,
        lacks: ['stream_options', 'max_completion_tokens', 'prompt_cache_key', 'service_tier', 'store'],
    },
    azure: {
        base: '/openai/v1',
        keyHeader: 'api-key',
        // the models of the region, not the deployments
        list: () => ({ object: 'list', data: ['gpt-4o-2024-11-20', 'text-embedding-3-large'].map((id) => ({ id, object: 'model', created_at: 1, status: 'succeeded', lifecycle_status: 'generally-available', capabilities: { chat_completion: !id.startsWith('text'), embeddings: id.startsWith('text') } })) }),
        tooLong: openaiTooLong,
        noTools: (m) => [400, openaiError(`${m.id} does not support tools.`, 'invalid_request_error', { param: 'tools' })],
        noModel: () => [404, { error: { code: 'DeploymentNotFound', message: 'The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.' } }],
        bad: (sentence) => [400, openaiError(sentence)],
        wrongKey: [401, { error: { code: '401', message: 'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.' } }],
        newLimit: true,
        first: { choices: [], created: 0, id: '', model: '', object: '', prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }] },
    },
    anthropic: {
        list: claudeList,
        tooLong: (m, tokens, limit) => [400, claudeError(tokens > m.window ? `prompt is too long: ${tokens} tokens > ${m.window} maximum` : `input length and \`max_tokens\` exceed context limit: ${tokens} + ${limit} > ${m.window}, decrease input length or \`max_tokens\` and try again`)],
        noTools: (m) => [400, claudeError(`${m.id} does not support tools`)],
        noModel: (name) => [404, claudeError(`model: ${name}`, 'not_found_error')],
        bad: (sentence) => [400, claudeError(sentence)],
    },
};

export const loadingModel = [503, { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } }];
export const wrongKey = (kind) => servers[kind].wrongKey ?? [401, kind === 'anthropic' ? claudeError('invalid x-api-key', 'authentication_error') : openaiError('Incorrect API key provided', 'invalid_request_error', { code: 'invalid_api_key' })];
