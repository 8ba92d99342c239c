// OpenAI's /v1/responses of a strict server: the rules for a request body, with the sentences of OpenAI's server, and the
// events of an answer. A model that reasons wants the reasoning of its calls back, and accepts only its own.
import { openaiSearchItem, openaiSearchPart, openaiSearchRefuses } from './strict_search.js';

const FIELDS = new Set(['background', 'context_management', 'conversation', 'include', 'input', 'instructions', 'max_output_tokens', 'max_tool_calls', 'metadata', 'model', 'parallel_tool_calls', 'previous_response_id', 'prompt', 'prompt_cache_key', 'reasoning', 'safety_identifier', 'service_tier', 'store', 'stream', 'stream_options', 'temperature', 'text', 'tool_choice', 'tools', 'top_logprobs', 'top_p', 'truncation', 'user']);
const ITEM = { message: ['type', 'role', 'content', 'phase'], function_call: ['type', 'id', 'call_id', 'name', 'arguments'], function_call_output: ['type', 'call_id', 'output'], reasoning: ['type', 'id', 'summary', 'encrypted_content'], web_search_call: ['type', 'id', 'status', 'action'] };
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const ID_MAX = 64;
const OUTPUT_MIN = 16;

/** The encrypted reasoning of each answer. The strict server accepts no other one back. */
export const ENCRYPTED = 'gAAAAABo-encrypted';

/** OpenAI's refusal of tools for a model that reasons. */
export const useResponses = (id) => `Function tools with reasoning_effort are not supported for ${id} in /v1/chat/completions. Please use /v1/responses instead.`;

function wrongItem(item, i) {
    const at = `input[${i}]`;
    const fields = ITEM[item?.type];
    if (!fields) return `Invalid value: '${item?.type}'. (${at}.type)`;
    const odd = Object.keys(item).find((key) => !fields.includes(key));
    if (odd) return `Unknown parameter: '${at}.${odd}'.`;
    if (item.type === 'message' && !['user', 'assistant', 'system', 'developer'].includes(item.role)) return `Invalid value: '${item.role}'. (${at}.role)`;
    const parts = Array.isArray(item.content) && item.content.length > 0 && item.content.every((p) => (p.type === 'input_text' && p.text) || (p.type === 'input_image' && p.image_url && ['auto', 'low', 'high'].includes(p.detail)));
    if (item.type === 'message' && !(item.role === 'user' && parts) && (typeof item.content !== 'string' || item.content === '')) return `Invalid type for '${at}.content'.`;
    if (item.type === 'web_search_call' && (item.id !== 'ws_1' || item.status !== 'completed' || !item.action?.type)) return `Missing required parameter: '${at}.action'.`;
    if (item.type.startsWith('function_call') && !(item.call_id?.length > 0 && item.call_id.length <= ID_MAX)) return `Invalid '${at}.call_id': string too long or empty.`;
    if (item.type === 'function_call' && (!NAME.test(item.name) || typeof item.arguments !== 'string')) return `Invalid '${at}.name': string does not match pattern.`;
    if (item.type === 'function_call_output' && typeof item.output !== 'string') return `Missing required parameter: '${at}.output'.`;
    if (item.type === 'reasoning' && (!item.id || !Array.isArray(item.summary))) return `Missing required parameter: '${at}.summary'.`;
    if (item.type === 'reasoning' && !item.encrypted_content) return `Item with id '${item.id}' not found. Items are not persisted when \`store\` is set to false.`;
    return item.type === 'reasoning' && item.encrypted_content !== ENCRYPTED ? `The encrypted content for item ${item.id} could not be verified.` : null;
}

/** Reasoning comes before its calls, results after them, one for each. */
function wrongOrder(input, reasons) {
    const open = new Set();
    let thought = false;
    for (const [i, item] of input.entries()) {
        const next = input[i + 1];
        if (item.type === 'reasoning') {
            if (!next || next.type === 'function_call_output' || next.role === 'user') return `Item '${item.id}' of type 'reasoning' was provided without its required following item.`;
            thought = true;
        } else if (item.type === 'function_call') {
            if (reasons && !thought) return `Item '${item.call_id}' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.`;
            if (open.has(item.call_id)) return `Duplicate item found with call_id ${item.call_id}.`;
            open.add(item.call_id);
        } else if (item.type === 'function_call_output') {
            if (!open.delete(item.call_id)) return `No tool call found for function call output with call_id ${item.call_id}.`;
            thought = false;
        } else {
            if (open.size > 0) return `No tool output found for function call ${[...open][0]}.`;
            if (item.role === 'user') thought = false;
        }
    }
    return open.size > 0 ? `No tool output found for function call ${[...open][0]}.` : null;
}

export function responsesRefuses(body, model) {
    const odd = Object.keys(body).find((key) => !FIELDS.has(key));
    if (odd) return `Unknown parameter: '${odd}'.`;
    if (!Array.isArray(body.input) || body.input.length === 0) return "Missing required parameter: 'input'.";
    if (body.store !== false) return "The strict server expects 'store': false, because nothing may stay at the provider.";
    if (body.include && !model.reasoning) return 'Encrypted content is not supported with this model.';
    if (body.reasoning && !model.reasoning) return "Unsupported parameter: 'reasoning.effort' is not supported with this model.";
    if (body.reasoning && !['none', 'minimal', 'low', 'medium', 'high', 'xhigh'].includes(body.reasoning.effort)) return `Invalid value: '${body.reasoning.effort}'. (reasoning.effort)`;
    if (body.max_output_tokens !== undefined && !(body.max_output_tokens >= OUTPUT_MIN)) return `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= ${OUTPUT_MIN}, but got ${body.max_output_tokens} instead.`;
    if (body.tools !== undefined && (!Array.isArray(body.tools) || body.tools.length === 0)) return "Invalid 'tools': empty array.";
    for (const [i, tool] of (body.tools ?? []).entries()) {
        if (tool.type === 'web_search') {
            const wrong = openaiSearchRefuses(tool, i, model);
            if (wrong) return wrong;
            continue;
        }
        if (tool.type !== 'function' || !NAME.test(tool.name ?? '')) return `Missing required parameter: 'tools[${i}].name'.`;
        if (tool.parameters?.type !== 'object' || tool.strict !== false) return `Invalid schema for function '${tool.name}': In context=(), 'additionalProperties' is required to be supplied and to be false.`;
    }
    for (const [i, item] of body.input.entries()) {
        const wrong = wrongItem(item, i);
        if (wrong) return wrong;
    }
    return wrongOrder(body.input, Boolean(model.reasoning));
}

/** The events of the answer `a` of strict.js. */
export function answerResponses(response, request, a) {
    const { body } = request;
    let sequence = 0;
    let index = -1;
    const output = [];
    const event = (type, data) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...data })}\n\n`);
    const item = (start, done, pieces) => {
        event('response.output_item.added', { output_index: ++index, item: start });
        for (const [type, data] of pieces) event(type, { item_id: start.id, output_index: index, ...data });
        event('response.output_item.done', { output_index: index, item: done });
        output.push(done);
    };
    const state = (status, more = {}) => ({ response: { id: 'resp_1', object: 'response', created_at: 1, model: request.model, status, error: null, incomplete_details: null, output, ...more } });
    event('response.created', state('in_progress'));
    if (a.thought) {
        const summary = 'They want an answer.';
        const start = { type: 'reasoning', id: 'rs_1', summary: [] };
        const encrypted = body.include?.includes('reasoning.encrypted_content') ? { encrypted_content: ENCRYPTED } : {};
        item(start, { ...start, summary: [{ type: 'summary_text', text: summary }], ...encrypted }, [['response.reasoning_summary_text.delta', { summary_index: 0, delta: summary }]]);
    }
    if (a.query) item({ ...openaiSearchItem(a.query), status: 'in_progress' }, openaiSearchItem(a.query), []);
    if (a.text) {
        const part = a.query ? openaiSearchPart(a.query) : { type: 'output_text', text: a.text, annotations: [] };
        const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'in_progress', content: [] };
        item(message, { ...message, status: 'completed', content: [part] }, [['response.output_text.delta', { content_index: 0, delta: part.text }], ['response.output_text.done', { content_index: 0, text: part.text }]]);
    }
    if (a.call) {
        const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: a.call, arguments: '', status: 'in_progress' };
        item(call, { ...call, arguments: '{}', status: 'completed' }, [['response.function_call_arguments.delta', { delta: '{}' }], ['response.function_call_arguments.done', { arguments: '{}' }]]);
    }
    const usage = { input_tokens: request.tokens, input_tokens_details: { cached_tokens: 1 }, output_tokens: a.tokens, output_tokens_details: { reasoning_tokens: a.thought }, total_tokens: request.tokens + a.tokens };
    if (a.stop === 'length') event('response.incomplete', state('incomplete', { usage, incomplete_details: { reason: 'max_output_tokens' } }));
    else event('response.completed', state('completed', { usage }));
    response.end();
}
