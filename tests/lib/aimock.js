// @copilotkit/aimock as the model: OpenAI's and Anthropic's protocols with fixtures. tests/fake/provider.js is for
// deliberate errors, where the test decides each byte.
import { LLMock } from '@copilotkit/aimock';

/**
 * Starts aimock on a free port. A fixture is {match, response, ...options}; the first that matches answers:
 *
 *     { match: { userMessage: 'hello' }, response: { content: 'Hi.' } }             userMessage: part of the text, or a RegExp
 *     { match: { userMessage: 'time', hasToolResult: false }, response: { toolCalls: [{ name: 'current_time', arguments: '{}' }] } }
 *     { match: { userMessage: 'time', hasToolResult: true }, response: { content: 'It is noon.' } }
 *     { match: {}, response: { content: 'long text' }, chunkSize: 5, streamingProfile: { ttft: 20, tps: 50 } }
 *     { match: { userMessage: 'busy', sequenceIndex: 0 }, response: { error: { message: 'busy' }, status: 429, retryAfter: 1 } }
 *     { match: {}, response: { content: 'half of it' }, truncateAfterChunks: 3 }
 *
 * Gives {url, env, requests(), add(fixture), failNext(status), stop()}; env points Alfred at it.
 */
export async function startAimock(fixtures = [], options = {}) {
    const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent', ...options });
    mock.addFixtures(fixtures);
    await mock.start();
    return {
        url: mock.url,
        env: {
            OPENAI_API_KEY: 'sk-test-openai',
            OPENAI_BASE_URL: `${mock.url}/v1`,
        },
        /** The requests so far: {path, headers, body, ...}. */
        requests: () => mock.getRequests(),
        forget: () => mock.clearRequests(),
        /** Goes before what is there. */
        add: (fixture) => mock.prependFixture(fixture),
        failNext: (status, body) => mock.nextRequestError(status, body),
        stop: () => mock.stop(),
    };
}
