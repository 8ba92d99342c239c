// The webhook of Telegram: the time of its acknowledgements while updates arrive at a fixed rate, and the time from a committed
// message to the request to the provider, beyond the quiet window in which Alfred waits for more of it.
import { mkdirSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

import { answers, startProvider } from '../fake/provider.js';
import { startBotApi } from '../lib/botapi.js';
import { startAlfred, until } from '../lib/rig.js';
import { linkPerson, secretOf } from '../lib/telegram.js';
import { median } from './measure.js';

const PER_SECOND = 50;
const SECONDS = 20;
const CHATS = 100;
const SINGLE = 30; // messages, one after the other
const QUIET_MS = 300; // src/app/channel/quiet.h

const FIRST_CHAT = 1000;
let ids = 1;

function message(chat, text) {
    const id = ids++;
    const from = { id: chat, is_bot: false, first_name: `Person ${chat}` };
    return JSON.stringify({ update_id: id, message: { message_id: id, date: 1, chat: { id: chat, type: 'private' }, from, text } });
}
/** An update that starts nothing: the bot was blocked by somebody unknown. */
function membership() {
    const id = ids++;
    return JSON.stringify({ update_id: id, my_chat_member: { chat: { id: 1, type: 'private' }, from: { id: 1, is_bot: false, first_name: 'A' }, date: 1 } });
}

const percentile = (values, p) => [...values].sort((a, b) => a - b)[Math.ceil((values.length * p) / 100) - 1];

async function load(alfred, makeBody) {
    const count = PER_SECOND * SECONDS;
    const bodies = Array.from({ length: count }, (_, i) => makeBody(i));
    const worker = new Worker(new URL('./telegram_load.js', import.meta.url), { workerData: { url: `${alfred.httpUrl}/hooks/telegram`, secret: secretOf(alfred), count, perSecond: PER_SECOND, bodies } });
    const { times, wrong } = await new Promise((resolve, reject) => {
        worker.on('message', resolve);
        worker.on('error', reject);
    });
    if (wrong.length) throw new Error(`answers of the webhook: ${[...new Set(wrong)].join(', ')}`);
    return times;
}

/** Milliseconds from the acknowledgement to the provider's request, without the quiet window. */
async function single(alfred, bot, provider, chat, i) {
    const text = `Question number ${i}`;
    const asked = provider.call((call) => call.asks(text));
    let heard;
    asked.then(() => (heard = performance.now()));
    const body = message(chat, text);
    await fetch(`${alfred.httpUrl}/hooks/telegram`, { method: 'POST', body, headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secretOf(alfred) } });
    const committed = performance.now();
    const call = await asked;
    await call.start();
    await call.text(`Answer number ${i}`);
    await call.end();
    await until('the answer is in the chat', () => bot.texts(chat).some((t) => t.includes(`Answer number ${i}`)), 30_000);
    return heard - committed - QUIET_MS;
}

export async function measureTelegram(table, folder) {
    mkdirSync(folder);
    const provider = await startProvider();
    const bot = await startBotApi();
    provider.always(answers('[]'), (call) => !call.body?.tools);
    const alfred = await startAlfred({ dir: folder, env: { ...provider.env, TELEGRAM_BOT_TOKEN: bot.token }, config: { server: { log_level: 'error' }, telegram: { mode: 'webhook', api_url: bot.url } } });
    try {
        await alfred.admin('anna');
        for (let i = 0; i <= CHATS; i++) {
            linkPerson(alfred, FIRST_CHAT + i, 'anna');
            bot.chatOf(FIRST_CHAT + i);
        }
        const added = [];
        for (let i = 0; i < SINGLE; i++) added.push(await single(alfred, bot, provider, FIRST_CHAT + CHATS, i));
        const quiet = await load(alfred, membership);
        provider.always(answers('Yes.'));
        const busy = await load(alfred, (i) => message(FIRST_CHAT + (i % CHATS), `Is ${i} a number?`));
        await until('every message is taken', () => alfred.sql("SELECT 1 FROM inbox WHERE state = 'new' LIMIT 1").length === 0);

        table.part('telegram', `The webhook of Telegram, ${PER_SECOND} updates a second for ${SECONDS} s`);
        table.row('acknowledgement, updates that start nothing, p99', percentile(quiet, 99), 'ms', { aim: 5 });
        table.row('  median', median(quiet), 'ms');
        table.row(`acknowledgement, messages that are answered in ${CHATS} chats, p99`, percentile(busy, 99), 'ms');
        table.row('  median', median(busy), 'ms');
        table.row("from a committed message to the provider's request, beyond the wait", median(added), 'ms', { aim: 5 });
        table.row('  p90', percentile(added, 90), 'ms');
    } finally {
        await alfred.stop();
        await bot.stop();
        await provider.stop();
    }
}
