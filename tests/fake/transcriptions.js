// POST /audio/transcriptions, as strict as the documentation of OpenAI and as other servers differ from it:
//
//     provider.always(transcribes('Buy milk.'));                                  // OpenAI
//     provider.always(transcribes('Buy milk.', { server: 'groq' }));
//
// The texts are those of OpenAI's and Groq's API, speaches, LocalAI (issue 1733) and vLLM. `call.form` is what was sent:
// { model, language, file: {name, type, bytes} }.
import assert from 'node:assert/strict';

const openaiError = (message, code = null, type = 'invalid_request_error') => ({ error: { message, type, param: null, code } });
const ENDINGS = ['flac', 'm4a', 'mp3', 'mp4', 'mpeg', 'mpga', 'oga', 'ogg', 'wav', 'webm'];
const MB = 1024 * 1024;

/** Each refusal: [status, body]. */
const servers = {
    openai: {
        endings: ENDINGS,
        fields: ['model', 'language', 'prompt', 'response_format', 'temperature', 'stream', 'timestamp_granularities[]', 'chunking_strategy', 'include[]'],
        format: () => [400, openaiError(`Unrecognized file format. Supported formats: ['${ENDINGS.join("', '")}']`)],
        corrupt: () => [400, openaiError('Audio file might be corrupted or unsupported', 'invalid_value')],
        short: () => [400, openaiError('Audio file is too short. Minimum audio length is 0.1 seconds.', 'audio_too_short')],
        size: (n) => [413, openaiError(`Maximum content size limit (26214400) exceeded (${n} bytes read)`, null, 'server_error')],
        model: (name) => [404, openaiError(`The model \`${name}\` does not exist or you do not have access to it.`, 'model_not_found')],
        key: () => [401, openaiError('Incorrect API key provided: sk-wrong. You can find your API key at https://platform.openai.com/account/api-keys.', 'invalid_api_key')],
    },
    groq: {
        endings: ['flac', 'mp3', 'mp4', 'mpeg', 'mpga', 'm4a', 'ogg', 'opus', 'wav', 'webm'],
        fields: ['model', 'language', 'prompt', 'response_format', 'temperature', 'timestamp_granularities[]', 'url'],
        format: () => [400, openaiError('file must be one of the following types: [flac mp3 mp4 mpeg mpga m4a ogg opus wav webm]', 'unsupported_audio_format')],
        corrupt: () => [400, openaiError('could not process file - is it a valid media file?')],
        short: () => [400, openaiError('Audio file is too short. Minimum audio length is 0.01 seconds.')],
        size: () => [413, openaiError('Request Entity Too Large', 'request_too_large')],
        model: (name) => [404, openaiError(`The model \`${name}\` does not exist or you do not have access to it.`, 'model_not_found')],
        key: () => [401, openaiError('Invalid API Key', 'invalid_api_key')],
    },
    mistral: { // documents no response_format
        endings: ENDINGS,
        fields: ['model', 'language', 'temperature', 'stream', 'diarize', 'context_bias', 'timestamp_granularities', 'file_url', 'file_id'],
        model: (name) => [400, { object: 'error', message: `Invalid model: ${name}`, type: 'invalid_model', param: null, code: '1500' }],
        key: () => [401, { detail: 'Unauthorized' }],
    },
    speaches: {
        endings: ENDINGS,
        fields: ['model', 'language', 'prompt', 'response_format', 'temperature', 'stream', 'hotwords', 'timestamp_granularities[]', 'vad_filter'],
        corrupt: () => [415, { detail: 'Failed to decode audio. The provided file type is not supported.' }],
        model: (name) => [404, { detail: `Model '${name}' is not installed locally. You can download the model using \`POST /v1/models\`` }],
        key: () => [403, { detail: 'Invalid or missing API key' }],
    },
    localai: {
        endings: ENDINGS,
        fields: ['model', 'language', 'prompt', 'response_format', 'temperature', 'diarize', 'translate', 'timestamp_granularities[]'],
        size: () => [413, { error: { code: 413, message: 'Request Entity Too Large', type: '' } }],
        model: (name) => [500, { error: { code: 500, message: `could not load model: ${name}`, type: '' } }],
        key: () => [401, { error: { code: 401, message: 'An authentication key is required', type: 'invalid_request_error' } }],
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
 * body; `corrupt(file)`, `short(file)`: files that the model cannot read.
 */
export const transcribes = (text, { server = 'openai', key = null, models = null, limit = 25 * MB, corrupt = () => false, short = () => false } = {}) => {
    const says = servers[server];
    return async (call) => {
        if (!call.path.endsWith('/audio/transcriptions')) return call.refuse(404, openaiError(`Invalid URL (POST ${call.path})`));
        if (key && call.headers.authorization !== `Bearer ${key}`) return call.refuse(...says.key());
        if (call.raw.length > limit) return call.refuse(...(says.size ?? servers.openai.size)(call.raw.length));
        const { file, ...fields } = (call.form = await formOf(call));
        for (const name of Object.keys(fields)) assert.ok(says.fields.includes(name), `${server} knows no "${name}"`);
        if (!fields.model) return call.refuse(400, openaiError('you must provide a model parameter'));
        if (models && !models.includes(fields.model)) return call.refuse(...says.model(fields.model));
        if (!file?.bytes) return call.refuse(400, openaiError('you must provide a file'));
        if (fields.language) assert.match(fields.language, /^[a-z]{2}$/, 'ISO 639-1');
        if (!says.endings.includes(file.name.split('.').at(-1))) return call.refuse(...says.format());
        if (corrupt(file)) return call.refuse(...(says.corrupt ?? servers.openai.corrupt)());
        if (short(file)) return call.refuse(...(says.short ?? servers.openai.short)());
        return call.json(JSON.stringify({ text, usage: { type: 'duration', seconds: 1 } }));
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
