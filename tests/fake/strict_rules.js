// The rules for a request body, by protocol. The sentences are those of OpenAI's and Anthropic's servers. Each function
// returns null, or the sentence that refuses the body.
import { createHash } from 'node:crypto';

import { anthropicSearchRefuses, anthropicUsesRefuse, isAnthropicSearch, routerSearchRefuses } from './strict_search.js';

const OPENAI_FIELDS = new Set(['messages', 'model', 'audio', 'frequency_penalty', 'logit_bias', 'logprobs', 'max_completion_tokens', 'max_tokens', 'metadata', 'modalities', 'n', 'parallel_tool_calls', 'prediction', 'presence_penalty', 'prompt_cache_key', 'reasoning_effort', 'response_format', 'safety_identifier', 'seed', 'service_tier', 'stop', 'store', 'stream', 'stream_options', 'temperature', 'tool_choice', 'tools', 'top_logprobs', 'top_p', 'user', 'verbosity', 'web_search_options']);
const OPENAI_MESSAGE = { system: ['role', 'content', 'name'], developer: ['role', 'content', 'name'], user: ['role', 'content', 'name'], assistant: ['role', 'content', 'name', 'tool_calls', 'refusal', 'audio'], tool: ['role', 'content', 'tool_call_id'] };
const ANTHROPIC_FIELDS = new Set(['model', 'messages', 'max_tokens', 'metadata', 'stop_sequences', 'stream', 'system', 'temperature', 'thinking', 'tool_choice', 'tools', 'top_k', 'top_p', 'service_tier', 'container', 'context_management', 'output_config']);
const ANTHROPIC_BLOCK = { text: ['type', 'text', 'cache_control', 'citations'], tool_use: ['type', 'id', 'name', 'input', 'cache_control'], tool_result: ['type', 'tool_use_id', 'content', 'is_error', 'cache_control'], thinking: ['type', 'thinking', 'signature'], redacted_thinking: ['type', 'data'], server_tool_use: ['type', 'id', 'name', 'input', 'cache_control', 'caller'], web_search_tool_result: ['type', 'tool_use_id', 'content', 'cache_control', 'caller'], image: ['type', 'source', 'cache_control'] };

/** Gemini's signature of a call. The strict server accepts no other one back. */
export const SIGNATURE = 'EqQBCgIYAhIM';

const unbound = (value) => {
    if (Array.isArray(value)) return value.filter((v) => v?.type !== 'thinking').map(unbound);
    return value && typeof value === 'object' ? Object.fromEntries(Object.entries(value).filter(([key]) => key !== 'cache_control').map(([key, v]) => [key, unbound(v)])) : value;
};
/**
 * Anthropic's signature of thinking that follows these messages. It is valid behind the same system prompt, tools and messages only
 * (https://platform.claude.com/docs/build-with-claude/preserved-thinking).
 */
export const boundSignature = (body, messages, account) => createHash('sha256').update(JSON.stringify([account, ...[body.system, body.tools, messages].map(unbound)])).digest('base64');

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const OPENAI_ID_MAX = 40;
const ANTHROPIC_ID = /^[a-zA-Z0-9_-]+$/;

const isPart = (p) => (p.type === 'text' && typeof p.text === 'string' && p.text !== '') || (p.type === 'image_url' && typeof p.image_url?.url === 'string');
const isText = (v) => typeof v === 'string' || (Array.isArray(v) && v.length > 0 && v.every(isPart));
const isJsonObject = (text) => {
    try {
        const v = JSON.parse(text);
        return v !== null && typeof v === 'object' && !Array.isArray(v);
    } catch {
        return false;
    }
};

/** Results follow their calls directly, one for each, and no others. */
function openaiOrder(messages) {
    let open = new Set();
    for (const [i, m] of messages.entries()) {
        if (m.role === 'tool') {
            if (!open.delete(m.tool_call_id)) return `Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'. (messages.[${i}].role)`;
            continue;
        }
        if (open.size > 0) return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(', ')}`;
        const ids = (m.tool_calls ?? []).map((c) => c.id);
        open = new Set(ids);
        if (open.size !== ids.length) return `Duplicate value for 'tool_call_id' of messages.[${i}]`;
        if (m.role === 'system' && i > 0) return 'System message must be at the beginning.'; // templates of Qwen and others
    }
    return open.size > 0 ? `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(', ')}` : null;
}

/** `own`: members of an answer that are the server's own. `noNull`: every message has a content. */
function openaiMessage(m, i, own, noNull) {
    const at = `messages[${i}]`;
    const fields = OPENAI_MESSAGE[m?.role];
    if (!fields) return `Invalid value: '${m?.role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'. (${at}.role)`;
    const odd = Object.keys(m).find((key) => !fields.includes(key) && !(m.role === 'assistant' && own.includes(key)));
    if (odd) return `Unknown parameter: '${at}.${odd}'.`;
    const calls = m.tool_calls;
    if (calls !== undefined && (!Array.isArray(calls) || calls.length === 0)) return `Invalid '${at}.tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.`;
    if (noNull && m.content === null) return "Invalid 'content': 'content' field must be a string or an array of objects.";
    if (!isText(m.content) && !(m.role === 'assistant' && calls && m.content == null)) return `Invalid type for '${at}.content': expected one of a string or array of objects.`;
    if (m.role === 'assistant' && !calls && m.content === '') return 'Assistant message must have either content or tool_calls, but not none.'; // Mistral
    for (const [k, call] of (calls ?? []).entries()) {
        if (call.type !== 'function') return `Invalid value: '${call.type}'. Supported values are: 'function'. (${at}.tool_calls[${k}].type)`;
        if (typeof call.id !== 'string' || call.id === '') return `Missing required parameter: '${at}.tool_calls[${k}].id'.`;
        if (call.id.length > OPENAI_ID_MAX) return `Invalid '${at}.tool_calls[${k}].id': string too long. Expected a string with maximum length ${OPENAI_ID_MAX}, but got a string with length ${call.id.length} instead.`;
        if (!NAME.test(call.function?.name ?? '')) return `Invalid '${at}.tool_calls[${k}].function.name': string does not match pattern.`;
        if (typeof call.function.arguments !== 'string') return `Invalid type for '${at}.tool_calls[${k}].function.arguments': expected a string.`;
        if (!isJsonObject(call.function.arguments)) return `Failed to parse tool call arguments as JSON: ${at}.tool_calls[${k}]`; // llama.cpp, Mistral
    }
    return null;
}

/**
 * Unknown fields are refused, although some servers ignore them. `progress`: it takes llama.cpp's return_progress.
 * `reasoning`: the member of its own reasoning. `fields`: other members of its own.
 */
export function openaiRefuses(body, { progress = false, reasoning = null, fields = [], lacks = [], prefix = false, callId = null, signs = false, noNull = false, searches = false, unknown = (name) => `Unknown parameter: '${name}'.` } = {}) {
    const odd = Object.keys(body).find((key) => lacks.includes(key) || !OPENAI_FIELDS.has(key) && !fields.includes(key) && !(progress && key === 'return_progress'));
    if (odd) return unknown(odd);
    if (typeof body.model !== 'string' || !body.model) return 'you must provide a model parameter';
    if (!Array.isArray(body.messages) || body.messages.length === 0) return "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.";
    for (const [i, m] of body.messages.entries()) {
        if (!signs && m.tool_calls?.some?.((c) => c.extra_content)) return `Unknown parameter: 'messages[${i}].tool_calls[0].extra_content'.`;
        const wrong = openaiMessage(m, i, [reasoning, prefix && i === body.messages.length - 1 ? 'prefix' : null], noNull);
        if (wrong) return wrong;
        const id = callId && (m.tool_calls ?? []).map((c) => c.id).concat(m.tool_call_id ?? []).find((one) => !callId.test(one));
        if (id) return `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`;
    }
    if (body.stream_options !== undefined && !body.stream) return "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
    if (body.tools !== undefined && (!Array.isArray(body.tools) || body.tools.length === 0)) return "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.";
    for (const [i, tool] of (body.tools ?? []).entries()) {
        const search = searches ? routerSearchRefuses(tool, i) : undefined;
        if (search) return search;
        if (search === null) continue;
        if (tool.type !== 'function' || !NAME.test(tool.function?.name ?? '')) return `Invalid 'tools[${i}].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;
        if (tool.function.parameters?.type !== 'object') return `Invalid schema for function '${tool.function.name}': schema must be a JSON Schema of 'type: "object"', got 'type: "${tool.function.parameters?.type}"'.`;
    }
    if (body.tool_choice !== undefined && !body.tools) return "'tool_choice' is only allowed when 'tools' are specified.";
    for (const name of ['max_tokens', 'max_completion_tokens']) if (body[name] !== undefined && !(Number.isInteger(body[name]) && body[name] > 0)) return `Invalid '${name}': integer below minimum value. Expected a value >= 1, but got ${body[name]} instead.`;
    return openaiOrder(body.messages);
}

/** The data that servers want back with earlier answers, and their names of the limit of an answer. */
export function thinkingModelRefuses(model, body, { allReasoning, signs, newLimit } = {}) {
    if (signs) {
        for (const [i, m] of body.messages.entries()) {
            if (!m.tool_calls || [SIGNATURE, 'skip_thought_signature_validator'].includes(m.tool_calls[0].extra_content?.google?.thought_signature)) continue;
            return `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${m.tool_calls[0].function.name}\` , position ${i}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`;
        }
    }
    if (!model.reasoning) return null;
    if (allReasoning && body.messages.some((m) => m.role === 'assistant' && !m.reasoning_content)) return 'The `reasoning_content` in the thinking mode must be passed back to the API.';
    return newLimit && body.max_tokens !== undefined ? "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead." : null;
}

/** The template of a model that knows only a user and an assistant (`noSystem`), in turns, as of Gemma and Mistral. Calls and results do not count. */
export function templateRefuses(model, body, { callId, noSystem } = {}) {
    if (model.noSystem && body.messages.some((m) => m.role === 'system')) return noSystem?.(model) ?? 'System role not supported';
    if (callId && body.messages.some((m, i) => m.role === 'user' && body.messages[i - 1]?.role === 'tool')) return "Unexpected role 'user' after role 'tool'"; // Mistral
    const spoken = body.messages.filter((m) => m.role === 'user' || (m.role === 'assistant' && !m.tool_calls));
    const odd = model.alternates && spoken.some((m, i) => (m.role === 'user') !== (i % 2 === 0));
    return odd ? 'After the optional system message, conversation roles must alternate user/assistant/user/assistant/...' : null;
}

/**
 * llama.cpp makes a grammar of the tools: a text of at most N characters is a repetition, which must be shorter than `repetitions`
 * (ggml-org/llama.cpp 17473 and 27087; since 28469 longer ones have no limit).
 */
export function grammarRefuses(body, { repetitions = Infinity } = {}) {
    const long = (v) => v !== null && typeof v === 'object' && Object.entries(v).some(([key, n]) => (['maxLength', 'minLength', 'maxItems', 'minItems'].includes(key) && n >= repetitions) || long(n));
    return (body.tools ?? []).some((t) => long(t.function?.parameters)) ? 'Failed to initialize samplers: failed to parse grammar' : null;
}

/** A request that ends in the beginning of its answer, at llama.cpp and vLLM. */
export function prefillRefuses(kind, model, body) {
    const open = body.messages.at(-1).role === 'assistant';
    if (kind === 'llama.cpp' && open && body.messages.at(-2)?.role === 'assistant') return 'Cannot have 2 or more assistant messages at the end of the list.';
    if (kind === 'llama.cpp' && open && model.reasoning) return 'Assistant response prefill is incompatible with enable_thinking.';
    if (kind !== 'vllm' || !body.continue_final_message) return null;
    if (body.add_generation_prompt !== false) return 'Cannot set both `continue_final_message` and `add_generation_prompt` to True.';
    return open ? null : 'continue_final_message is set but the final message does not appear to be from the assistant.';
}

/** The models since Claude 4.6, as far as tests use them. */
const WITHOUT_PREFILL = /^claude-(opus|sonnet|haiku)-(4-[6-9]|[5-9])/;

function anthropicBlocks(message, i, before) {
    const blocks = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
    if (!Array.isArray(blocks) || blocks.length === 0) return `messages.${i}: all messages must have non-empty content except for the optional final assistant message`;
    const asked = new Set((Array.isArray(before?.content) ? before.content : []).filter((b) => b.type === 'tool_use').map((b) => b.id));
    let resultsOver = false;
    const search = anthropicUsesRefuse(blocks, `messages.${i}.content`);
    if (search) return search;
    for (const [k, block] of blocks.entries()) {
        const fields = ANTHROPIC_BLOCK[block.type];
        if (!fields) return `messages.${i}.content.${k}: Input tag '${block.type}' found using 'type' does not match any of the expected tags`;
        const odd = Object.keys(block).find((key) => !fields.includes(key));
        if (odd) return `messages.${i}.content.${k}.${block.type}.${odd}: Extra inputs are not permitted`;
        if (block.type === 'text' && block.text.trim() === '') return 'messages: text content blocks must contain non-whitespace text';
        if (block.type === 'tool_use') {
            if (message.role !== 'assistant') return `messages.${i}: tool_use blocks can only be in assistant messages`;
            if (!NAME.test(block.name)) return `messages.${i}.content.${k}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
            if (!ANTHROPIC_ID.test(block.id)) return `messages.${i}.content.${k}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
            if (block.input === null || typeof block.input !== 'object' || Array.isArray(block.input)) return `messages.${i}.content.${k}.tool_use.input: Input should be a valid dictionary`;
        }
        if (block.type === 'tool_result') {
            if (resultsOver) return `messages.${i}: tool_result blocks must come first in the content of a user message`;
            if (!asked.delete(block.tool_use_id)) return `messages.${i}.content.${k}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${block.tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
        } else resultsOver = true;
    }
    return asked.size > 0 ? `messages.${i - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${[...asked].join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.` : null;
}

function thinkingRefuses(body, account) {
    for (const [i, m] of body.messages.entries()) {
        for (const [k, block] of [m.content].flat().entries()) {
            const before = [...body.messages.slice(0, i), ...(k > 0 ? [{ role: m.role, content: m.content.slice(0, k) }] : [])];
            if (block.type === 'thinking' && block.signature !== boundSignature(body, before, account)) return `messages.${i}.content.${k}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation.`;
        }
    }
    if (!body.thinking) return null;
    const odd = Object.keys(body.thinking).find((key) => key !== 'type' && key !== 'display');
    if (odd) return `thinking.adaptive.${odd}: Extra inputs are not permitted`;
    if (body.thinking.type === 'disabled') return null;
    if (body.thinking.type !== 'adaptive' || !WITHOUT_PREFILL.test(body.model)) return 'adaptive thinking is not supported on this model';
    return body.temperature === undefined ? null : '`temperature` may only be set to 1 when thinking is enabled.';
}

export function anthropicRefuses(body, headers, account, model) {
    const ids = new Set();
    if (!headers['anthropic-version']) return 'anthropic-version: header is required';
    const odd = Object.keys(body).find((key) => !ANTHROPIC_FIELDS.has(key));
    if (odd) return `${odd}: Extra inputs are not permitted`;
    if (!Number.isInteger(body.max_tokens) || body.max_tokens < 1) return 'max_tokens: Field required';
    if (!Array.isArray(body.messages) || body.messages.length === 0) return 'messages: at least one message is required';
    if (body.messages[0].role !== 'user') return 'messages: first message must use the "user" role';
    for (const [i, m] of body.messages.entries()) {
        if (m.role !== 'user' && m.role !== 'assistant') return `messages: Unexpected role "${m.role}". Allowed roles are "user" or "assistant".`;
        const extra = Object.keys(m).find((key) => key !== 'role' && key !== 'content');
        if (extra) return `messages.${i}.${extra}: Extra inputs are not permitted`;
        const wrong = anthropicBlocks(m, i, body.messages[i - 1]);
        if (wrong) return wrong;
        for (const [k, block] of (Array.isArray(m.content) ? m.content : []).entries()) {
            if (block.type === 'tool_use' && ids.size === ids.add(block.id).size) return `messages.${i}.content.${k}: \`tool_use\` ids must be unique`;
        }
    }
    const last = body.messages.at(-1);
    if (last.role === 'assistant' && WITHOUT_PREFILL.test(body.model)) return 'This model does not support assistant message prefill. The conversation must end with a user message.';
    if (last.role === 'assistant' && /\s$/.test([last.content].flat().at(-1).text ?? last.content)) return 'messages: final assistant content cannot end with trailing whitespace';
    if (Array.isArray(last.content) && last.content.some((b) => b.type === 'tool_use')) return `messages.${body.messages.length - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after`;
    for (const block of Array.isArray(body.system) ? body.system : []) if (block.type !== 'text' || block.text.trim() === '') return 'system: text content blocks must be non-empty';
    for (const [i, tool] of (body.tools ?? []).entries()) {
        if (isAnthropicSearch(tool)) {
            const wrong = anthropicSearchRefuses(tool, i, model);
            if (wrong) return wrong;
            continue;
        }
        const more = Object.keys(tool).find((key) => !['name', 'description', 'input_schema', 'cache_control', 'type'].includes(key));
        if (more) return `tools.${i}.custom.${more}: Extra inputs are not permitted`;
        if (!NAME.test(tool.name)) return `tools.${i}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
        if (tool.input_schema?.type !== 'object') return `tools.${i}.custom.input_schema.type: Field required`;
    }
    if (body.tool_choice && !body.tools) return 'tool_choice: tools must be defined';
    const calls = body.messages.some((m) => Array.isArray(m.content) && m.content.some((b) => b.type === 'tool_use' || b.type === 'tool_result'));
    return thinkingRefuses(body, account) ?? (calls && !body.tools ? 'Requests which include `tool_use` or `tool_result` blocks must define tools' : null);
}
