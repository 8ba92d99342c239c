// Shared by the http tests of Telegram: Alfred with a bot, whose Bot API the test plays (botapi.js).
import { readFileSync } from 'node:fs';

import { startBotApi } from './botapi.js';
import { startAlfred, until } from './rig.js';

export const PUBLIC_URL = 'https://alfred.example.org';
export const HOOK = '/hooks/telegram';
export const SECRET_HEADER = 'x-telegram-bot-api-secret-token';

/**
 * Starts Alfred and a Bot API. With mode "webhook" (the default) updates go to Alfred's nginx once `alfred telegram setup`
 * has run; `setup: false` leaves that to the test. options: those of startAlfred(), telegram: more settings, bot: those of
 * startBotApi().
 */
export async function startTelegram({ t, mode = 'webhook', setup = mode === 'webhook', telegram = {}, bot: botOptions = {}, env = {}, config = {}, ...more }) {
    const bot = await startBotApi({ t, ...botOptions });
    const alfred = await startAlfred({
        t,
        ...more,
        env: { TELEGRAM_BOT_TOKEN: bot.token, ...env },
        config: { ...config, telegram: { mode, public_url: PUBLIC_URL, api_url: bot.url, ...telegram } },
    });
    bot.webhookGoes({ [PUBLIC_URL]: alfred.baseUrl });
    if (setup) {
        const done = await alfred.cli(['telegram', 'setup']);
        if (done.code !== 0) throw new Error(`alfred telegram setup: ${done.stdout}${done.stderr}`);
    }
    return { bot, alfred };
}

/** The secret of the webhook. */
export const secretOf = (alfred) => readFileSync(`${alfred.dataDir}/telegram-webhook-secret`, 'utf8').trim();

/** Waits until every update that came in has been processed. */
export const processed = (alfred) => until('the inbox is empty', () => alfred.sql("SELECT count(*) AS n FROM inbox WHERE state = 'new'")[0].n === 0);

/** The stored problem of a refused token; `wait` is the time from the refusal to the next question. */
export const problems = (alfred) => alfred.sql('SELECT task, error, next_at, next_at - at AS wait FROM channel_problem ORDER BY task');
/** Ends the wait until the next question about a refused token. A new task wakes the helper, which looks at the time then. */
export async function waitIsOver(alfred, user) {
    alfred.sql('UPDATE channel_problem SET next_at = 0');
    await user.postJson('/api/tasks', { text: 'Wake the helper' });
}

/** Links a person of Telegram to a user, as `/link CODE` does. */
export function linkPerson(alfred, person, user) {
    alfred.database((db) => {
        const now = Date.now();
        const { id } = db.prepare('SELECT id FROM user WHERE name = ?').get(user);
        db.prepare("INSERT INTO channel_identity (channel, external_id, name, user_id, created_at, linked_at) VALUES ('telegram', ?, ?, ?, ?, ?)").run(String(person), `Person ${person}`, id, now, now);
    });
}
