// A model server that is as strict as the real ones are documented to be: it knows only its own models, has a window and
// counts what it is sent, can refuse tools, and may take a while to load its model. Its answers tell what it was sent.
//
//     const server = await startStrict({ server: 'llama.cpp', models: [{ id: 'tiny', window: 2048 }] });
//     server.requests        // the chats that it answered or refused: {model, tools, tokens, status}
//     server.models = [...]  // a model is removed, or another one installed
//
// server: 'llama.cpp' (tools/server/README.md; errors: pull request 15780), 'ollama' (docs/api.md; "does not support
// tools": server/routes.go), 'vllm', 'openai', 'openrouter', 'anthropic'. A model: {id, window, tools = true, embedding,
// images, created}. `loading`: so many chats are refused with 503 "Loading model" first.
import http from 'node:http';
import { once } from 'node:events';

const BYTES_PER_TOKEN = 3; // of English text in JSON; servers count the JSON of tools and roles, too

const json = (response, status, body) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
};

/** The list of models in the server's own form. */
function listOf(kind, models, url) {
    switch (kind) {
        case 'llama.cpp':
            return { object: 'list', data: models.map((m) => ({ id: m.id, object: 'model', created: 1, owned_by: 'llamacpp', meta: { n_ctx_train: 131072 } })) };
        case 'ollama':
            return { object: 'list', data: models.map((m) => ({ id: m.id, object: 'model', created: 1, owned_by: 'library' })) };
        case 'vllm':
            return { object: 'list', data: models.map((m) => ({ id: m.id, object: 'model', created: 1, owned_by: 'vllm', max_model_len: m.window })) };
        case 'openrouter':
            return {
                data: models.map((m) => ({
                    id: m.id, created: 1, context_length: m.window, supported_parameters: m.tools === false ? ['max_tokens'] : ['max_tokens', 'tools'],
                    architecture: { input_modalities: m.images ? ['text', 'image'] : ['text'], output_modalities: ['text'] },
                })),
            };
        case 'anthropic': {
            const after = url.searchParams.get('after_id');
            const from = after ? models.findIndex((m) => m.id === after) + 1 : 0;
            const page = models.slice(from, from + 2); // pages are small here, so that paging is tried
            const data = page.map((m) => ({ type: 'model', id: m.id, display_name: m.id, created_at: '2026-01-01T00:00:00Z' }));
            return { data, first_id: page[0]?.id ?? null, last_id: page.at(-1)?.id ?? null, has_more: from + 2 < models.length };
        }
        default:
            return { object: 'list', data: models.map((m) => ({ id: m.id, object: 'model', created: m.created ?? 1, owned_by: 'system' })) };
    }
}

/** The answer to a prompt over the window: [status, body]. */
function tooLong(kind, model, tokens) {
    switch (kind) {
        case 'llama.cpp':
            return [400, { error: { code: 400, message: 'the request exceeds the available context size, try increasing it', type: 'exceed_context_size_error', n_prompt_tokens: tokens, n_ctx: model.window } }];
        case 'vllm':
            return [400, { object: 'error', message: `This model's maximum context length is ${model.window} tokens. However, you requested ${tokens} tokens in the messages, Please reduce the length of the messages.`, type: 'BadRequestError', code: 400 }];
        case 'anthropic':
            return [400, { type: 'error', error: { type: 'invalid_request_error', message: `prompt is too long: ${tokens} tokens > ${model.window} maximum` } }];
        default:
            return [400, { error: { message: `This model's maximum context length is ${model.window} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`, type: 'invalid_request_error', param: 'messages', code: 'context_length_exceeded' } }];
    }
}

function noTools(kind, model) {
    switch (kind) {
        case 'ollama':
            return [400, { error: { message: `registry.ollama.ai/library/${model.id} does not support tools`, type: 'api_error', param: null, code: null } }];
        case 'vllm':
            return [400, { object: 'error', message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', type: 'BadRequestError', code: 400 }];
        case 'openrouter':
            return [404, { error: { message: 'No endpoints found that support tool use.', code: 404 } }];
        default:
            return [400, { error: { message: `${model.id} does not support tools.`, type: 'invalid_request_error', param: 'tools', code: null } }];
    }
}

const noModel = (kind, name) =>
    kind === 'anthropic'
        ? [404, { type: 'error', error: { type: 'not_found_error', message: `model: ${name}` } }]
        : [404, { error: { message: `The model \`${name}\` does not exist or you do not have access to it.`, type: 'invalid_request_error', param: null, code: 'model_not_found' } }];

export async function startStrict({ server: kind = 'openai', models = [], loading = 0, key = null, port = 0 } = {}) {
    const strict = { kind, models, loading, requests: [], lists: 0 };

    const findModel = (name) => strict.models.find((m) => m.id === name) ?? (kind === 'llama.cpp' ? strict.models[0] : undefined);

    function refusal(body) {
        const model = findModel(body.model);
        const tokens = Math.ceil(Buffer.byteLength(JSON.stringify({ m: body.messages, s: body.system, t: body.tools })) / BYTES_PER_TOKEN);
        const request = { model: body.model, tools: body.tools?.length ?? 0, tokens, body };
        strict.requests.push(request);
        if (!model || model.embedding) return [request, noModel(kind, body.model)];
        if (strict.loading > 0) {
            strict.loading--;
            return [request, [503, { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } }]];
        }
        if (body.tools?.length && model.tools === false) return [request, noTools(kind, model)];
        // Ollama cuts the prompt without a word.
        if (kind !== 'ollama' && tokens + (kind === 'vllm' ? (body.max_tokens ?? 0) : 0) > model.window) return [request, tooLong(kind, model, tokens)];
        return [request, null];
    }

    function answer(response, request, text) {
        const usage = { prompt_tokens: request.tokens, completion_tokens: 3, total_tokens: request.tokens + 3 };
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const event = (data, name) => response.write(`${name ? `event: ${name}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
        if (kind === 'anthropic') {
            event({ type: 'message_start', message: { id: 'msg_1', type: 'message', role: 'assistant', model: request.model, content: [], usage: { input_tokens: request.tokens, output_tokens: 1 } } }, 'message_start');
            event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }, 'content_block_start');
            event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }, 'content_block_delta');
            event({ type: 'content_block_stop', index: 0 }, 'content_block_stop');
            event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } }, 'message_delta');
            event({ type: 'message_stop' }, 'message_stop');
        } else {
            const chunk = (delta, finish = null) => event({ id: 'c', object: 'chat.completion.chunk', created: 1, model: request.model, choices: [{ index: 0, delta, finish_reason: finish }] });
            chunk({ role: 'assistant', content: '' });
            chunk({ content: text });
            chunk({}, 'stop');
            event({ id: 'c', object: 'chat.completion.chunk', choices: [], usage });
            event('[DONE]');
        }
        response.end();
    }

    function show(response, name) {
        const model = findModel(name);
        if (!model) return json(response, 404, { error: `model '${name}' not found` });
        const capabilities = model.embedding ? ['embedding'] : ['completion', ...(model.tools === false ? [] : ['tools']), ...(model.images ? ['vision'] : [])];
        return json(response, 200, { capabilities, parameters: model.parameters ?? '', model_info: { 'general.architecture': 'llama', 'llama.context_length': 131072 } });
    }

    const server = http.createServer(async (request, response) => {
        const chunks = [];
        for await (const chunk of request) chunks.push(chunk);
        const url = new URL(request.url, 'http://strict');
        const path = url.pathname;
        const sent = request.headers.authorization?.replace(/^Bearer /, '') ?? request.headers['x-api-key'];
        if (key && sent !== key) return json(response, 401, { error: { message: 'Incorrect API key provided', type: 'invalid_request_error', code: 'invalid_api_key' } });
        if (request.method === 'GET' && path === '/v1/models') {
            strict.lists++;
            return json(response, 200, listOf(kind, strict.models, url));
        }
        if (kind === 'llama.cpp' && path === '/props') return json(response, 200, { default_generation_settings: { n_ctx: strict.models[0].window }, total_slots: 1, chat_template_caps: { supports_tools: true }, modalities: { vision: false, audio: false } });
        const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString('utf8')) : {};
        if (kind === 'ollama' && path === '/api/show') return show(response, body.model);
        if (kind === 'ollama' && path === '/api/ps') return json(response, 200, { models: strict.models.filter((m) => m.loaded).map((m) => ({ name: m.id, model: m.id, context_length: m.window })) });
        const chat = kind === 'anthropic' ? '/v1/messages' : '/v1/chat/completions';
        if (request.method !== 'POST' || path !== chat) return json(response, 404, { error: { message: `no route for ${request.method} ${path}`, type: 'not_found' } });
        const [noted, refused] = refusal(body);
        noted.status = refused ? refused[0] : 200;
        if (refused) return json(response, ...refused);
        return answer(response, noted, `Answered by ${body.model}.`);
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    strict.url = `http://127.0.0.1:${server.address().port}`;
    strict.stop = () => {
        server.closeAllConnections();
        return new Promise((resolve) => server.close(resolve));
    };
    return strict;
}
