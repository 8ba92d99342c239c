// The requests of a long session: bytes per request, the share that equals the beginning of the previous request (prompt
// caches charge less for it), and the time that Alfred adds to the first token. The provider is tests/fake/provider.js, in
// this process, so that both ends have one clock.
import { startProvider } from '../fake/provider.js';
import { startAlfred, until } from '../lib/rig.js';
import { existsSync, readdirSync } from 'node:fs';
import { median, sum } from './measure.js';

const TURNS = 30;
const TOOL_EVERY = 3; // turns
const ANSWER = 'It is green, and there is more to say about it than fits a line. '.repeat(6).trim();

const isChat = (call) => Boolean(call.body?.tools);

/** The length of the common beginning of two requests, in bytes. */
function common(one, two) {
    const most = Math.min(one.length, two.length);
    let n = 0;
    while (n < most && one[n] === two[n]) n++;
    return n;
}

/** Runs one turn. Returns Alfred's milliseconds before the provider got the request and after its first token. */
async function turn(client, provider, i, session) {
    const text = `What did I say about tea number ${i}? ${'Please be exact. '.repeat(4)}`.trim();
    const mine = (call) => isChat(call) && call.raw.includes(text);
    const begun = performance.now();
    const sent = client.postJson(`/page/sessions/${session}/messages`, { text });
    let call = await provider.call(mine);
    let heard = performance.now();
    const { turn: id, session: at } = (await sent).json;
    const events = await client.events(`/page/turns/${id}/events`);
    await events.until((e) => e.event === 'turn');
    if (i % TOOL_EVERY === TOOL_EVERY - 1) {
        await call.start();
        await call.toolCall('list_tasks', {}, `call_${i}`);
        await call.end('tool_calls');
        call = await provider.call(mine);
        heard = 0; // the tool's time does not count
    }
    await call.start();
    const spoke = performance.now();
    await call.text(ANSWER);
    await events.until((e) => e.event === 'blocks');
    const seen = performance.now();
    await call.end();
    await events.until((e) => e.event === 'end');
    events.close();
    return { session: at.id, added: heard ? heard - begun + (seen - spoke) : null };
}

export async function measureRequests() {
    const provider = await startProvider();
    provider.always(async (call) => call.json('{"choices":[{"message":{"content":"[]"},"finish_reason":"stop"}]}'), (call) => !isChat(call));
    const alfred = await startAlfred({ env: provider.env, config: { server: { log_level: 'error' } } });
    try {
        const client = await alfred.admin();
        let session = 'new';
        const added = [];
        for (let i = 0; i < TURNS; i++) {
            await client.postJson('/api/memories', { text: `Tea number ${i} is green`, permanent: true });
            await client.postJson('/api/tasks', { text: `Buy tea ${i}` });
            const got = await turn(client, provider, i, session);
            session = got.session;
            if (got.added !== null) added.push(got.added);
        }
        const turns = `${alfred.dataDir}/turns`;
        await until('all answers have ended', () => !existsSync(turns) || readdirSync(turns).length === 0);
        const bodies = provider.calls.filter(isChat).map((c) => c.raw);
        const shares = bodies.slice(1).map((b, i) => common(bodies[i], b) / bodies[i].length);
        return { turns: TURNS, perTurn: sum(bodies.map((b) => b.length)) / TURNS, last: bodies.at(-1).length, share: median(shares), least: Math.min(...shares), added: median(added) };
    } finally {
        await alfred.stop();
        await provider.stop();
    }
}
