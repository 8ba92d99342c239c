// Pictures in a request to a strict server: what each protocol accepts, and how servers refuse them. Sources of the
// sentences:
// - OpenAI: community.openai.com 519309; its page about images
// - DeepSeek: DayuanJiang/next-ai-draw-io 326; Groq: vercel/ai 2837
// - llama.cpp: tools/server/server-common.cpp; Ollama: ollama/ollama 17301; vLLM: its error bodies
// - OpenRouter: nexu-io/nexu 733; LM Studio: lmstudio-ai/lmstudio-bug-tracker
// - Anthropic: its page about vision, and its refusals of a wrong media type

const SIGNATURES = { 'image/png': '89504e47', 'image/jpeg': 'ffd8ff', 'image/gif': '47494638', 'image/webp': '52494646' };
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const PICTURE_BYTES = 3000; // as text that has a picture's 1,000 tokens
const CLAUDE_SIDE_MAX = 8000, CLAUDE_BYTES_MAX = 5 * 1024 * 1024;

/** Null, or the reason why these are no picture of that type. */
function wrongData(type, base64, at) {
    if (!SIGNATURES[type]) return `${at}: unsupported media type ${type}`;
    if (!base64 || !BASE64.test(base64)) return `${at}: invalid base64 data`;
    const bytes = Buffer.from(base64, 'base64');
    if (!bytes.toString('hex').startsWith(SIGNATURES[type])) return `${at}: The image was specified using the ${type} media type, but the image appears to be of another type`;
    if (bytes.length > CLAUDE_BYTES_MAX) return `${at}: image exceeds 5 MB maximum`;
    if (type === 'image/png' && (bytes.readUInt32BE(16) > CLAUDE_SIDE_MAX || bytes.readUInt32BE(20) > CLAUDE_SIDE_MAX)) return `${at}: At least one of the image dimensions exceed max allowed size: 8000 pixels`;
    return null;
}

function wrongUrl(url, at) {
    const [, type, base64] = /^data:([a-z/]+);base64,(.*)$/.exec(url ?? '') ?? [];
    return type ? wrongData(type, base64, at) : `${at}: only data URLs are expected of Alfred`;
}

/** The parts of a message that have a picture, by protocol, each as [role, wrong]. */
function partsOf(body) {
    const found = [];
    for (const [i, m] of (body.messages ?? body.input ?? []).entries()) {
        for (const [k, part] of (Array.isArray(m.content) ? m.content : []).entries()) {
            const at = `messages[${i}].content[${k}]`;
            if (part.type === 'image_url') found.push([m.role, wrongUrl(part.image_url?.url, at)]);
            else if (part.type === 'input_image') found.push([m.role, wrongUrl(part.image_url, at)]);
            else if (part.type === 'image') found.push([m.role, part.source?.type === 'base64' ? wrongData(part.source.media_type, part.source.data, at) : `${at}: source.type`]);
        }
    }
    return found;
}

/** A value as JSON for counting its tokens: servers count a picture by its size in pixels, never its base64. */
export const asCounted = (value) => JSON.stringify(value, (key, v) => (typeof v === 'string' && (v.startsWith('data:image/') || (key === 'data' && v.length > PICTURE_BYTES)) ? 'p'.repeat(PICTURE_BYTES) : v));

const without = {
    openai: () => [400, { error: { message: 'Invalid content type. image_url is only supported by certain models.', type: 'invalid_request_error', param: 'messages.[0].content.[0].type', code: null } }],
    openrouter: () => [404, { error: { message: 'No endpoints found that support image input', code: 404 } }],
    'llama.cpp': () => [500, { error: { code: 500, message: 'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj', type: 'server_error' } }],
    ollama: () => [400, { error: { message: 'this model does not support image input (ref: b8bd630e)', type: 'invalid_request_error', param: null, code: null } }],
    lmstudio: () => [400, { error: 'Model does not support images. Please use a model that does.' }],
    vllm: () => [400, { object: 'error', message: 'At most 0 image(s) may be provided in one prompt.', type: 'BadRequestError', param: null, code: 400 }],
    deepseek: () => [400, { error: { message: 'Failed to deserialize the JSON body into the target type: messages[1]: unknown variant `image_url`, expected `text` at line 1 column 679', type: 'invalid_request_error', param: null, code: 'invalid_request_error' } }],
    groq: () => [400, { error: { message: "'messages.0' : for 'role:user' the following must be satisfied[('messages.0.content' : value must be a string)] messages[0].content must be a string", type: 'invalid_request_error' } }],
};
const fewer = {
    vllm: (most) => [400, { object: 'error', message: `At most ${most} image(s) may be provided in one prompt.`, type: 'BadRequestError', param: null, code: 400 }],
    openai: (most) => [400, { error: { message: `Too many images provided. This model supports up to ${most} images`, type: 'invalid_request_error' } }],
};

/** The refusal [status, body] of a request's pictures; null: none. `model.images` false: it takes none; a number: at most so many. */
export function picturesRefuse(kind, model, body, bad) {
    const parts = partsOf(body), wrong = parts.map(([role, why]) => (role === 'user' ? why : 'Image parts are only allowed in messages of role user.')).find(Boolean);
    if (parts.length === 0) return null;
    if (model.images === false) return (without[model.refusesAs ?? kind] ?? without.openai)();
    if (parts.length > (Number(model.images) || Infinity) && model.images !== true) return (fewer[kind] ?? fewer.openai)(model.images);
    return wrong ? bad(wrong) : null;
}
