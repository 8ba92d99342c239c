// POST /audio/transcriptions, as strict as the documentation of OpenAI and as other servers differ from it:
//
//     provider.always(transcribes('Buy milk.'));                                  // OpenAI
//     provider.always(transcribes('Buy milk.', { server: 'groq' }));
//
// The texts are those of the sources of vLLM and speaches, of what programs report about OpenAI, Groq and Mistral, and of
// LocalAI (issue 1733). Mistral's refusal of a format is not known. `call.form` is what was sent:
// { model, language, file: {name, type, bytes} }.
import assert from 'node:assert/strict';

const openaiError = (message, code = null, type = 'invalid_request_error') => ({ error: { message, type, param: null, code } });
const ENDINGS = ['flac', 'm4a', 'mp3', 'mp4', 'mpeg', 'mpga', 'oga', 'ogg', 'wav', 'webm'];
const MB = 1024 * 1024;

const seconds = (n) => ({ usage: { type: 'duration', seconds: n } });
const newModels = { // gpt-4o-transcribe and gpt-4o-mini-transcribe
    corrupt: () => [400, { error: { ...openaiError('Audio file might be corrupted or unsupported', 'invalid_value').error, param: 'file' } }],
    more: () => ({ usage: { type: 'tokens', input_tokens: 14, output_tokens: 45, total_tokens: 59, input_token_details: { text_tokens: 10, audio_tokens: 4 } } }),
};
const vllm = (status, message, type = 'BadRequestError', param = null) => [status, { error: { message, type, param, code: status } }];

/** Each refusal: [status, body]. `more`: what an answer has besides the text. */
const servers = {
    openai: {
        endings: ENDINGS,
        fields: ['model', 'language', 'prompt', 'response_format', 'temperature', 'stream', 'timestamp_granularities[]', 'chunking_strategy', 'include[]'],
        format: () => [400, openaiError(`Invalid file format. Supported formats: ['${ENDINGS.join("', '")}']`)],
        corrupt: () => [400, openaiError('The audio file could not be decoded or its format is not supported.')],
        short: () => [400, openaiError('Audio file is too short. Minimum audio length is 0.1 seconds.', 'audio_too_short')],
        size: (n) => [413, openaiError(`Maximum content size limit (26214400) exceeded (${n} bytes read)`, null, 'server_error')],
        model: (name) => [404, openaiError(`The model \`${name}\` does not exist or you do not have access to it.`, 'model_not_found')],
        key: () => [401, openaiError('Incorrect API key provided: sk-wrong. You can find your API key at https://platform.openai.com/account/api-keys.', 'invalid_api_key')],
        more: seconds,
    },
    groq: {
        endings: ['flac', 'mp3', 'mp4', 'mpeg', 'mpga', 'm4a', 'ogg', 'opus', 'wav', 'webm'],
        fields: ['model', 'language', 'prompt', 'response_format', 'temperature', 'timestamp_granularities[]', 'url'],
        format: () => [400, { error: { message: 'file must be one of the following types: [flac mp3 mp4 mpeg mpga m4a ogg opus wav webm]', type: 'invalid_request_error', code: 'unsupported_audio_format' } }],
        corrupt: () => [400, { error: { message: 'could not process file - is it a valid media file?', type: 'invalid_request_error' } }],
        short: () => [400, { error: { message: 'Audio file is too short. Minimum audio length is 0.01 seconds.', type: 'invalid_request_error' } }],
        size: () => [413, openaiError('Request Entity Too Large', 'request_too_large')],
        model: (name) => [404, openaiError(`The model \`${name}\` does not exist or you do not have access to it.`, 'model_not_found')],
        key: () => [401, openaiError('Invalid API Key', 'invalid_api_key')],
        more: () => ({ x_groq: { id: 'req_01' } }),
    },
    mistral: { // documents no response_format
        endings: ENDINGS,
        fields: ['model', 'language', 'temperature', 'stream', 'diarize', 'context_bias', 'timestamp_granularities', 'file_url', 'file_id'],
        model: (name) => [400, { object: 'error', message: `Invalid model: ${name}`, type: 'invalid_model', param: null, code: '1500', raw_status_code: 400 }],
        key: () => [401, { detail: 'Unauthorized' }],
        more: (n) => ({ model: 'voxtral-mini-latest', language: null, segments: [], usage: { prompt_audio_seconds: n, prompt_tokens: 4, completion_tokens: 5, total_tokens: 384 } }),
    },
    speaches: {
        endings: null,
        fields: ['model', 'language', 'prompt', 'response_format', 'temperature', 'stream', 'hotwords', 'timestamp_granularities[]', 'vad_filter', 'diarization'],
        corrupt: () => [415, { detail: 'Failed to decode audio. The provided file type is not supported.' }],
        short: () => [400, { detail: 'Failed to decode audio. The provided file is likely empty.' }],
        model: (name) => [404, { detail: `Model '${name}' is not installed locally. You can download the model using \`POST /v1/models\`` }],
        chat: (name) => [404, { detail: `Model '${name}' is not supported. If you think this is a mistake, please open an issue.` }],
        key: () => [403, { detail: 'Invalid API key. The provided API key is incorrect.' }],
        more: () => ({}),
    },
    vllm: { // further fields are ignored
        endings: null,
        fields: ['model', 'language', 'hotwords', 'prompt', 'response_format', 'temperature', 'stream', 'timestamp_granularities[]', 'to_language', 'top_p', 'seed'],
        corrupt: () => vllm(400, 'Invalid or unsupported audio file.'),
        size: () => vllm(400, 'Maximum file size exceeded', 'BadRequestError', 'audio_filesize_mb'),
        model: (name) => vllm(404, `The model \`${name}\` does not exist.`, 'NotFoundError', 'model'),
        chat: () => vllm(501, 'The model does not support Transcriptions API', 'NotImplementedError'),
        key: () => [401, { error: 'Unauthorized' }],
        more: (n) => seconds(Math.ceil(n)),
    },
    localai: {
        endings: ENDINGS,
        fields: ['model', 'language', 'prompt', 'response_format', 'temperature', 'diarize', 'translate', 'timestamp_granularities[]'],
        size: () => [413, { error: { code: 413, message: 'Request Entity Too Large', type: '' } }],
        model: (name) => [500, { error: { code: 500, message: `could not load model: ${name}`, type: '' } }],
        key: () => [401, { error: { code: 401, message: 'An authentication key is required', type: 'invalid_request_error' } }],
        more: () => ({}),
    },
};

async function formOf(call) {
    assert.equal(call.method, 'POST');
    assert.match(call.headers['content-type'], /^multipart\/form-data; boundary=\S+$/);
    assert.equal(Number(call.headers['content-length']), call.raw.length);
    const data = await new Response(call.raw, { headers: { 'content-type': call.headers['content-type'] } }).formData();
    const form = {};
    for (const [name, value] of data) {
        assert.ok(!(name in form), `${name} is sent once`);
        form[name] = typeof value === 'string' ? value : { name: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) };
    }
    return form;
}

/**
 * Answers with the text. `key`: the only accepted one; `models`: those that exist (default: every one); `limit`: bytes of a
 * body; `corrupt(file)`, `short(file)`: files that the model cannot read; `chats`: the model is no transcription model;
 * `lasts`: the seconds that the server reports, if it does.
 */
export const transcribes = (text, { server = 'openai', key = null, models = null, limit = 25 * MB, corrupt = () => false, short = () => false, chats = false, lasts = 1 } = {}) => {
    const rules = servers[server];
    return async (call) => {
        if (!call.path.endsWith('/audio/transcriptions')) return call.refuse(404, openaiError(`Invalid URL (POST ${call.path})`));
        if (key && call.headers.authorization !== `Bearer ${key}`) return call.refuse(...rules.key());
        if (call.raw.length > limit) return call.refuse(...(rules.size ?? servers.openai.size)(call.raw.length));
        const { file, ...fields } = (call.form = await formOf(call));
        const says = server === 'openai' && /^gpt-4o/.test(fields.model) ? { ...rules, ...newModels } : rules;
        for (const name of Object.keys(fields)) assert.ok(says.fields.includes(name), `${server} knows no "${name}"`);
        if (!fields.model) return call.refuse(400, openaiError('you must provide a model parameter'));
        if (models && !models.includes(fields.model)) return call.refuse(...says.model(fields.model));
        if (!file?.bytes) return call.refuse(400, openaiError('you must provide a file'));
        if (fields.language) assert.match(fields.language, /^[a-z]{2}$/, 'ISO 639-1');
        if (chats) return call.refuse(...says.chat(fields.model));
        if (says.endings && !says.endings.includes(file.name.split('.').at(-1))) return call.refuse(...says.format());
        if (corrupt(file)) return call.refuse(...(says.corrupt ?? servers.openai.corrupt)());
        if (short(file)) return call.refuse(...(says.short ?? servers.openai.short)());
        return call.json(JSON.stringify({ text, ...says.more(lasts) }));
    };
};

/** The beginning of a recording in each format. Nothing decodes it. */
export const recordings = {
    ogg: Buffer.concat([Buffer.from('OggS\0\x02'), Buffer.alloc(22), Buffer.from('\x01\x13OpusHead')]),
    webm: Buffer.concat([Buffer.from([0x1a, 0x45, 0xdf, 0xa3]), Buffer.from('webm'), Buffer.alloc(20)]),
    wav: Buffer.concat([Buffer.from('RIFF\x24\0\0\0WAVEfmt '), Buffer.alloc(28)]),
    mp4: Buffer.from('\0\0\0\x1cftypiso5\0\0\x02\0iso5iso6mp41'),
    m4a: Buffer.from('\0\0\0\x1cftypM4A \0\0\x02\0isomiso2'),
    mp3: Buffer.from('ID3\x04\0\0\0\0\0\0'),
    flac: Buffer.from('fLaC\0\0\0\x22'),
};

/** A recording that lasts so many seconds, at 1000 bytes a second. */
export function wavOf(seconds) {
    const wav = Buffer.alloc(44 + seconds * 1000);
    wav.write('RIFF');
    wav.writeUInt32LE(wav.length - 8, 4);
    wav.write('WAVEfmt ', 8);
    for (const [at, value] of [[16, 16], [24, 1000], [28, 1000]]) wav.writeUInt32LE(value, at);
    for (const [at, value] of [[20, 1], [22, 1], [32, 1], [34, 8]]) wav.writeUInt16LE(value, at);
    wav.write('data', 36);
    wav.writeUInt32LE(seconds * 1000, 40);
    return wav;
}
