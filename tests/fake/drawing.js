// POST /v1/images/generations with the members and refusals of real services:
//   OpenAI, gpt-image-...   sends base64 always; refuses response_format; sizes and output formats of its own
//   OpenAI, dall-e-3        an address unless response_format is b64_json; sizes of its own
//   xAI, grok-2-image       refuses size; an address unless response_format is b64_json
//   "urls"                  a server that sends addresses in any case, as some proxies do
import { png } from '../lib/picture.js';

const SIZES = {
    gpt: ['auto', '1024x1024', '1536x1024', '1024x1536'],
    dalle: ['1024x1024', '1792x1024', '1024x1792'],
};
const MEMBERS = {
    gpt: ['model', 'prompt', 'n', 'size', 'quality', 'background', 'moderation', 'output_format', 'output_compression', 'user'],
    dalle: ['model', 'prompt', 'n', 'size', 'quality', 'style', 'response_format', 'user'],
    grok: ['model', 'prompt', 'n', 'response_format', 'user'],
    urls: ['model', 'prompt', 'n', 'size', 'response_format'],
};
const kindOf = (model) => model.includes('gpt-image') ? 'gpt' : model.startsWith('dall-e') ? 'dalle' : model.startsWith('grok') ? 'grok' : 'urls';
const refuse = (call, message, param, code = null) => call.refuse(400, { error: { message, type: 'invalid_request_error', param, code } });

/** A request for a picture, new or changed. */
export const asksForDrawing = (call) => /\/images\/(generations|edits)$/.test(call.path);

/** The form of a change: its fields, and the names, types and bytes of its pictures. */
export async function changeOf(call) {
    const form = await new Response(call.raw, { headers: { 'content-type': call.headers['content-type'] } }).formData();
    const change = { fields: {}, pictures: [] };
    for (const [name, value] of form) {
        if (typeof value === 'string') change.fields[name] = value;
        else change.pictures.push({ field: name, name: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) });
    }
    return change;
}

/** Draws `bytes`, a small PNG by default. */
export const draws = (bytes = png(64, 48)) => async (call) => {
    const change = call.path.endsWith('/edits') ? await changeOf(call) : null, asked = change?.fields ?? call.body ?? {};
    const { model, prompt, size, output_format: format = 'png', response_format: form = 'url' } = asked;
    if (typeof model !== 'string' || typeof prompt !== 'string' || !prompt) return refuse(call, "Missing required parameter: 'prompt'.", 'prompt', 'missing_required_parameter');
    const kind = kindOf(model), wrong = Object.keys(asked).find((name) => !MEMBERS[kind].includes(name));
    if (change?.pictures.length === 0) return refuse(call, "Missing required parameter: 'image'.", 'image', 'missing_required_parameter');
    if (change?.pictures.some((p) => p.field !== (kind === 'gpt' ? 'image[]' : 'image'))) return refuse(call, `Unknown parameter: '${change.pictures[0].field}'.`, 'image', 'unknown_parameter');
    if (change?.pictures.some((p) => !['image/png', 'image/jpeg', 'image/webp'].includes(p.type))) return refuse(call, 'Invalid image file or mode for image 1, please check your image file.', null, 'invalid_image_file');
    if (wrong === 'size') return refuse(call, 'Argument not supported: size', 'size');
    if (wrong) return refuse(call, `Unknown parameter: '${wrong}'.`, wrong, 'unknown_parameter');
    if (size && SIZES[kind] && !SIZES[kind].includes(size)) return refuse(call, `Invalid value: '${size}'. Supported values are: ${SIZES[kind].map((s) => `'${s}'`).join(', ')}.`, 'size', 'invalid_value');
    if (prompt.includes('[unsafe]')) return refuse(call, 'Your request was rejected by the safety system.', null, 'moderation_blocked');
    if (!['png', 'jpeg', 'webp'].includes(format)) return refuse(call, `Invalid value: '${format}'.`, 'output_format', 'invalid_value');
    const sends = kind === 'gpt' || (form === 'b64_json' && kind !== 'urls') ? { b64_json: bytes.toString('base64') } : { url: 'https://pictures.example/1.png' };
    return call.json(JSON.stringify({ created: 1700000000, data: [kind === 'dalle' ? { revised_prompt: `${prompt}, revised`, ...sends } : sends] }));
};
