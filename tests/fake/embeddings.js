// POST /v1/embeddings with the limits and error texts of real servers:
//
//     vectors.always(embeds((text) => [1, 0]));                                   // OpenAI with its limits
//     vectors.always(embeds(vectorOf, { server: 'llamacpp', tokens: 512 }));      // a server with a small window
//     vectors.always(embeds(vectorOf, { server: 'ollama', nan: (text) => text.includes('bad') }));
//
// The texts are those of OpenAI's API, Ollama (issue 9639 and its embed endpoint), llama.cpp's server and vLLM.
import assert from 'node:assert/strict';

const BYTES_PER_TOKEN = 3;
/** Each server counts tokens in its own way. Here a token is a fixed number of bytes, as in dense English or German text. */
export const tokensOf = (text) => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);

const openaiError = (message, type = 'invalid_request_error') => ({ error: { message, type, param: null, code: null } });
const INVALID_INPUT = "'$.input' is invalid. Please check the API reference: https://platform.openai.com/docs/api-reference.";
const badRequest = (message) => ({ object: 'error', message, type: 'BadRequestError', param: null, code: 400 });
const llamaError = (code, message, type) => ({ error: { code, message, type } });

/** Each refusal: [status, body]. `nan`: the result for a vector with NaN; null: the answer contains null instead. */
const servers = {
    openai: {
        empty: () => [400, openaiError(INVALID_INPUT)],
        tooMany: () => [400, openaiError(INVALID_INPUT)],
        tooLong: (tokens, max) => [400, openaiError(`This model's maximum context length is ${max} tokens, however you requested ${tokens} tokens (${tokens} in your prompt; 0 for the completion). Please reduce your prompt; or completion length.`)],
        tooMuch: (tokens, max) => [400, openaiError(`Requested ${tokens} tokens, max ${max} tokens per request`, 'max_tokens_per_request')],
        dimensions: () => [400, openaiError('This model does not support specifying dimensions.')],
        nan: () => [500, openaiError('The server had an error while processing your request. Sorry about that!', 'server_error')],
    },
    ollama: {
        empty: () => [400, openaiError('invalid input', 'api_error')],
        tooMany: () => [400, openaiError('invalid input', 'api_error')],
        tooLong: () => [400, openaiError('the input length exceeds the context length', 'api_error')],
        dimensions: () => [400, openaiError('dimensions is not supported by this model', 'api_error')],
        nan: () => [500, openaiError('failed to encode response: json: unsupported value: NaN', 'api_error')],
    },
    llamacpp: {
        empty: () => [400, llamaError(400, 'Input content cannot be empty', 'invalid_request_error')],
        tooMany: () => [400, llamaError(400, 'too many inputs', 'invalid_request_error')],
        tooLong: (tokens, max) => [500, llamaError(500, `input (${tokens} tokens) is too large to process. increase the physical batch size (current batch size: ${max})`, 'server_error')],
        dimensions: () => null, // it ignores the field
        nan: () => null,
    },
    vllm: {
        empty: () => [400, badRequest('The decoder prompt cannot be empty')],
        tooMany: () => [400, badRequest('Too many inputs')],
        tooLong: (tokens, max) => [400, badRequest(`This model's maximum context length is ${max} tokens. However, you requested ${tokens} tokens in the input for embedding generation. Please reduce the length of the input.`)],
        dimensions: () => [400, badRequest('Model "test" does not support matryoshka representation, changing output dimensions will lead to poor results.')],
        nan: () => [500, badRequest('Out of range float values are not JSON compliant')],
    },
};

/** The answer as JSON text: [[1, 2], ...] in the order of the texts, or anything else. */
export const embeddingsJson = (vectors) => JSON.stringify({ object: 'list', data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })) });

/**
 * Embeds each text by `vectorOf(text)`, as strictly as the server does. `tokens`: of one text; `inputs`: texts of a
 * request; `dimensions`: whether the model can shorten its vectors; `nan(text)`: whether the model fails on it;
 * `filter(text)`: whether a filter in front of it refuses the request with 403.
 */
export const embeds = (vectorOf, { server = 'openai', tokens = 8192, inputs = 2048, perRequest = 300_000, dimensions = false, nan = () => false, filter = () => false } = {}) => {
    const says = servers[server];
    return async (call) => {
        const { model, input, ...more } = call.body;
        assert.equal(call.method, 'POST');
        assert.ok(typeof model === 'string' && model, 'a model is named');
        for (const field of Object.keys(more)) assert.ok(['dimensions', 'encoding_format', 'user'].includes(field), `the API knows no "${field}"`);
        assert.ok(Array.isArray(input) && input.every((text) => typeof text === 'string'), 'input is a list of texts');
        const counts = input.map(tokensOf);
        const longest = Math.max(0, ...counts);
        const total = counts.reduce((sum, n) => sum + n, 0);
        let refusal = null;
        if (input.some(filter)) refusal = [403, openaiError('Request blocked.')];
        else if (input.length === 0 || input.some((text) => text.trim() === '')) refusal = says.empty();
        else if (input.length > inputs) refusal = says.tooMany();
        else if (longest > tokens) refusal = says.tooLong(longest, tokens);
        else if (total > perRequest && says.tooMuch) refusal = says.tooMuch(total, perRequest);
        else if (more.dimensions !== undefined && !dimensions) refusal = says.dimensions();
        else if (input.some(nan)) refusal = says.nan();
        call.refusal = refusal;
        if (refusal) return call.refuse(...refusal);
        const vectors = input.map((text) => (nan(text) ? vectorOf(text).map(() => NaN) : vectorOf(text)));
        assert.equal(new Set(vectors.map((v) => v.length)).size, 1, 'a model makes vectors of one length');
        return call.json(embeddingsJson(vectors)); // JSON has no NaN; null, as in llama.cpp
    };
};
