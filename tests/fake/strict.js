// A model server that is as strict as the documentation of real ones: it checks each request (strict_rules.js,
// strict_params.js), knows only its own models, has a window and counts the request's tokens, counts reasoning into
// max_tokens, can refuse tools, and may need time to load its model. Its answers describe the request.
//
//     const server = await startStrict({ server: 'llama.cpp', models: [{ id: 'tiny', window: 2048 }] });
//     server.requests        // the chats that it answered or refused: {path, model, tools, tokens, status, refusal, cut, body}
//     server.models = [...]  // a model is removed, or another one installed
//
// Options of startStrict():
// - server: a name of strict_servers.js
// - models: a list of
//     {id, window, created, loaded,
//      tools: false: it refuses them,
//      embedding: the length of its vectors,
//      images: false: it refuses pictures; a number: the most in one request,
//      search: false: it refuses the web search (strict_search.js),
//      reasoning: tokens before the text,
//      alternates: its template wants the user and the assistant in turns,
//      noSystem: its template has no system message,
//      responses(body): true for chat completions that it refuses, because they must go through /v1/responses,
//      refuses(request): [status, body] of a refusal of its own}
// - noResponses: it has no /v1/responses
// - newLimit: as in strict_servers.js, for a gateway
// - loading: the number of chats that are first refused with 503 "Loading model"; true: all until `server.loading = 0`
// - reply(body): the text of an answer, {text, cut: true} for one that ends at its limit, or {call, args} for a call of a tool
// - silent: it accepts requests and does not answer
//
// "call the tool NAME" in the newest message makes it call that tool, if it is offered.
import http from 'node:http';
import { once } from 'node:events';

import { noteBody } from './bodies.js';
import { anthropicRefuses, boundSignature, grammarRefuses, openaiRefuses, prefillRefuses, SIGNATURE, templateRefuses, thinkingModelRefuses } from './strict_rules.js';
import { anthropicParamsRefuse, openaiParamsRefuse, responsesParamsRefuse } from './strict_params.js';
import { asCounted, picturesRefuse } from './strict_pictures.js';
import { answerResponses, responsesRefuses, useResponses } from './strict_responses.js';
import { anthropicSearchBlocks, openaiSearchPart, routerAnnotations, searchedFor } from './strict_search.js';
import { loadingModel, servers, wrongKey } from './strict_servers.js';
import { AS_REAL_SERVERS } from '../lib/wait.js';

const RESPONSES = '/v1/responses';
const BYTES_PER_TOKEN = 3; // for English text in JSON; servers also count the JSON of tools and roles
const OLLAMA_WINDOW = 4096; // used when neither the request nor the model file sets num_ctx

const json = (response, status, body) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
};
const tokensOf = (text) => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
const textOf = (message) => (typeof message?.content === 'string' ? message.content : (message?.content ?? []).map((p) => p.text ?? '').join(''));
const toolNames = (body) => (body.tools ?? []).map((t) => t.function?.name ?? t.name);

/** The tool that must be called, or that the newest message requests, if it is offered. */
function wantedTool(body) {
    const choice = body.tool_choice;
    if (choice === 'required' || choice?.type === 'any') return toolNames(body)[0];
    if (choice?.function ?? choice?.name) return choice.function?.name ?? choice.name;
    const last = (body.messages ?? body.input).at(-1);
    if (last.role !== 'user' || (Array.isArray(last.content) && last.content.some((p) => p.type === 'tool_result'))) return null;
    const name = textOf(last).match(/call the tool (\w+)/i)?.[1];
    return toolNames(body).includes(name) && body.tool_choice?.type !== 'none' ? name : null;
}

/** The parts of the answer: reasoning, text, a call, the finish reason. max_tokens limits reasoning and text together. */
function compose(model, body, reply) {
    const wanted = wantedTool(body), query = searchedFor(body, textOf((body.messages ?? body.input).at(-1)));
    const said = wanted && !query ? '' : reply(body), call = wanted ?? said.call;
    const stops = [body.stop ?? body.stop_sequences ?? []].flat();
    const [text] = stops.reduce(([rest], stop) => rest.split(stop), [said.text ?? (said.call ? '' : said)]);
    const most = body.max_tokens ?? body.max_completion_tokens ?? body.max_output_tokens ?? Infinity;
    const thought = Math.min(model.reasoning ?? 0, most);
    const left = most - thought;
    const whole = tokensOf(text) <= left && left > 0;
    return { call, query, args: JSON.stringify(said.args ?? {}), text: whole ? text : text.slice(0, Math.max(0, left) * BYTES_PER_TOKEN), thought, stop: !whole || said.cut ? 'length' : call ? 'tool_calls' : 'stop', tokens: thought + Math.min(tokensOf(text) || 1, Math.max(left, 0)) };
}

const hum = (tokens) => 'hm '.repeat(tokens);

function answerOpenai(response, server, request, a) {
    const event = (data) => response.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
    const chunk = (delta, finish = null) => event({ id: 'c', object: 'chat.completion.chunk', created: 1, model: request.model, choices: [{ index: 0, delta, finish_reason: finish }] });
    const read = (processed) => event({ id: 'c', object: 'chat.completion.chunk', created: 1, model: request.model, choices: [{ index: 0, delta: { role: 'assistant', content: null }, finish_reason: null }], prompt_progress: { total: request.tokens, cache: 0, processed, time_ms: 1 } });
    if (server.alive) response.write(': keep-alive\n\n');
    if (server.first) event(server.first);
    if (request.body.return_progress) for (const processed of [0, request.tokens]) read(processed);
    chunk({ role: 'assistant', content: '' });
    if (a.thought && server.reasoning) chunk({ [server.reasoning]: hum(a.thought) });
    if (a.thought && server.thinkingParts) chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: hum(a.thought) }] }] });
    const text = a.query ? openaiSearchPart(a.query).text : a.text;
    if (text) chunk({ content: a.thought && server.thinkingParts ? [{ type: 'text', text }] : text });
    if (a.query) chunk({ role: 'assistant', content: '', annotations: routerAnnotations(a.query) });
    if (a.call && server.noIndex) {
        chunk({ tool_calls: [{ extra_content: { google: { thought_signature: SIGNATURE } }, function: { arguments: a.args, name: a.call }, id: 'call_297140', type: 'function' }] });
    } else if (a.call) {
        chunk({ tool_calls: [{ index: 0, id: server.callId ? 'D681PevKs' : 'call_1', type: 'function', function: { name: a.call, arguments: '' } }] });
        chunk({ tool_calls: [{ index: 0, function: { arguments: a.args } }] });
    }
    chunk({}, a.call && server.noIndex ? 'stop' : a.stop);
    if (request.body.stream_options?.include_usage || server.lacks?.includes('stream_options')) event({ id: 'c', object: 'chat.completion.chunk', choices: [], usage: { prompt_tokens: request.tokens, completion_tokens: a.tokens - (server.silentReasoning ? a.thought : 0), total_tokens: request.tokens + a.tokens, ...(a.query && { server_tool_use: { web_search_requests: 1 } }), ...(a.thought && { completion_tokens_details: { reasoning_tokens: a.thought } }) } });
    event('[DONE]');
    response.end();
}

function answerAnthropic(response, request, a, account) {
    let index = -1;
    const event = (data) => response.write(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`);
    const block = (start, ...deltas) => {
        event({ type: 'content_block_start', index: ++index, content_block: start });
        for (const delta of deltas) event({ type: 'content_block_delta', index, delta });
        event({ type: 'content_block_stop', index });
    };
    event({ type: 'message_start', message: { id: 'msg_1', type: 'message', role: 'assistant', model: request.model, content: [], usage: { input_tokens: request.tokens, output_tokens: 1 } } });
    if (a.thought) block({ type: 'thinking', thinking: '', signature: '' }, { type: 'thinking_delta', thinking: hum(a.thought) }, { type: 'signature_delta', signature: boundSignature(request.body, request.body.messages, account) });
    if (a.query) for (const blocks of anthropicSearchBlocks(a.query, request.number)) block(...blocks);
    else if (a.text) block({ type: 'text', text: '' }, { type: 'text_delta', text: a.text });
    if (a.call) block({ type: 'tool_use', id: `toolu_${request.number}`, name: a.call, input: {} }, { type: 'input_json_delta', partial_json: a.args });
    event({ type: 'message_delta', delta: { stop_reason: { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use' }[a.stop] }, usage: { output_tokens: a.tokens } });
    event({ type: 'message_stop' });
    response.end();
}

export async function startStrict({ server: kind = 'openai', newLimit = false, models = [], loading = 0, key = null, port = 0, silent = false, noResponses = false, reply = (body) => `Answered by ${body.model}.` } = {}) {
    const words = { ...servers[kind], ...(newLimit && { newLimit }) }, base = words.base ?? '/v1';
    const strict = { kind, models, loading, key, silent, account: 'one', requests: [], lists: 0 };

    const findModel = (name) => strict.models.find((m) => m.id === name) ?? (words.noModel ? undefined : strict.models[0]);
    const isLoading = () => strict.loading === true || (strict.loading > 0 && strict.loading--);
    const windowOf = (model, body) => (kind === 'ollama' ? Number(body.options?.num_ctx ?? model.parameters?.match(/num_ctx +(\d+)/)?.[1] ?? model.window ?? OLLAMA_WINDOW) : model.window);

    /** Records the request; returns its refusal, or null. */
    function refusal(request, headers) {
        const { body } = request;
        const model = findModel(body.model);
        if (!model || model.embedding) return words.noModel?.(body.model) ?? words.bad('The model is no chat model.');
        if (isLoading()) return loadingModel;
        const own = model.refuses?.(request);
        if (own) return own;
        const wrong = kind === 'anthropic' ? anthropicRefuses(body, headers, strict.account, model) ?? anthropicParamsRefuse(body) : request.path === RESPONSES ? responsesRefuses(body, model) ?? responsesParamsRefuse(body, Boolean(model.reasoning)) : openaiRefuses(body, words) ?? openaiParamsRefuse(body, Boolean(words.newLimit && model.reasoning)) ?? templateRefuses(model, body, words) ?? grammarRefuses(body, words) ?? prefillRefuses(kind, model, body) ?? thinkingModelRefuses(model, body, words);
        if (wrong) return words.bad(wrong);
        const blind = picturesRefuse(kind, model, body, words.bad);
        if (blind) return blind;
        if (request.path !== RESPONSES && model.responses?.(body)) return words.bad(useResponses(model.id));
        if (body.tools?.length && model.tools === false && words.noTools) return words.noTools(model);
        const limit = ['vllm', 'anthropic'].includes(kind) ? body.max_tokens ?? 0 : 0;
        const over = request.tokens + limit > windowOf(model, body);
        request.cut = over && !words.tooLong;
        return over && words.tooLong ? words.tooLong(model, request.tokens, limit) : null;
    }

    function chat(response, path, body, headers) {
        const request = { path, number: strict.requests.length, model: body.model, tools: body.tools?.length ?? 0, tokens: tokensOf(asCounted({ m: body.messages ?? body.input, s: body.system ?? body.instructions, t: body.tools })), cut: false, body };
        strict.requests.push(request);
        const refused = refusal(request, headers);
        request.status = refused ? refused[0] : 200;
        request.refusal = refused ? JSON.stringify(refused[1]) : null;
        if (refused) return json(response, ...refused);
        const a = compose(findModel(body.model), body, reply);
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        if (path === RESPONSES) return answerResponses(response, request, a);
        if (kind === 'anthropic') {
            answerAnthropic(response, request, a, strict.account);
            return a.call ? strict.called?.() : undefined;
        }
        return answerOpenai(response, words, request, a);
    }

    function embed(response, body) {
        const model = findModel(body.model);
        if (!model?.embedding) return json(response, ...words.noModel(body.model));
        const data = [body.input].flat().map((text, index) => ({ object: 'embedding', index, embedding: Array.from({ length: model.embedding }, (_, i) => (i === text.length % model.embedding ? 1 : 0)) }));
        return json(response, 200, { object: 'list', data, model: body.model });
    }

    function show(response, name) {
        const model = findModel(name);
        if (!model) return json(response, 404, { error: `model '${name}' not found` });
        if (model.signedOut) return json(response, 401, { error: 'unauthorized' });
        const capabilities = model.embedding ? ['embedding'] : ['completion', ...(model.tools === false ? [] : ['tools']), ...(model.images ? ['vision'] : [])];
        return json(response, 200, { ...(model.cloud && { remote_model: name.split(':')[0], remote_host: 'https://ollama.com:443' }), capabilities, parameters: model.parameters ?? '', model_info: { 'general.architecture': 'llama', 'llama.context_length': 131072 } });
    }

    /** The server's own addresses besides /v1. */
    const own = {
        'llama.cpp GET /props': () => ({ default_generation_settings: { n_ctx: strict.models[0].window }, total_slots: 1, chat_template_caps: { supports_tools: strict.models[0].tools !== false }, modalities: { vision: false, audio: false } }),
        'ollama GET /api/ps': () => ({ models: strict.models.filter((m) => m.loaded).map((m) => ({ name: m.id, model: m.id, context_length: m.window })) }),
        'lmstudio GET /api/v0/models': () => ({ object: 'list', data: strict.models.map((m) => ({ id: m.id, object: 'model', type: m.embedding ? 'embeddings' : m.images ? 'vlm' : 'llm', state: m.window ? 'loaded' : 'not-loaded', max_context_length: 131072, ...(m.window && { loaded_context_length: m.window }), capabilities: m.tools === false ? [] : ['tool_use'] })) }),
    };

    const server = http.createServer(AS_REAL_SERVERS, async (request, response) => {
        const chunks = [];
        for await (const chunk of request) chunks.push(chunk);
        const url = new URL(request.url, 'http://strict');
        const route = `${request.method} ${url.pathname}`;
        const sent = words.keyHeader ? request.headers[words.keyHeader] : request.headers.authorization?.replace(/^Bearer /, '') ?? request.headers['x-api-key'];
        if (strict.silent) return undefined;
        if (strict.key && sent !== strict.key) return json(response, ...wrongKey(kind));
        if (route === `GET ${base}/models`) {
            strict.lists++;
            return json(response, 200, words.list(strict.models, url));
        }
        if (own[`${kind} ${route}`]) return json(response, 200, own[`${kind} ${route}`]());
        const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString('utf8')) : {};
        noteBody(url.pathname, body);
        if (kind === 'ollama' && route === 'POST /api/show') return show(response, body.model);
        if (kind !== 'anthropic' && route === 'POST /v1/embeddings') return embed(response, body);
        const chats = kind === 'anthropic' ? ['/v1/messages'] : kind === 'openai' && !noResponses ? ['/v1/chat/completions', RESPONSES] : [`${base}/chat/completions`];
        if (request.method === 'POST' && chats.includes(url.pathname)) return chat(response, url.pathname, body, request.headers);
        if (body.input || body.messages) strict.requests.push({ path: url.pathname, model: body.model, tools: body.tools?.length ?? 0, status: 404, refusal: 'no route', body });
        return json(response, 404, { error: { message: `no route for ${route}`, type: 'not_found' } });
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
