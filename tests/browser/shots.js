// Screenshots of every page: at 360, 768 and 1440 px, light and dark, empty, long, streaming and failed.
//
//     make shots              all of them, into tests/shots
//     scripts/node tests/browser/shots.js streaming 360     those whose name has all of these words
//     scripts/node tests/browser/shots.js --de              in German
//     scripts/node tests/browser/shots.js --readme          docs/screenshot.png
import { mkdirSync } from 'node:fs';

import { answers, callsTool, fails, startProvider } from '../fake/provider.js';
import { ROOT, startAlfred, until } from '../lib/rig.js';
import { TOPIC, asksForAnswer, asksForCompaction, asksForFacts, asksForSummary, asksForTitle, asksForTopic } from '../lib/chat.js';
import { countRequests, launch, quiet, ready } from './lib/stage.js';

const OUT = `${ROOT}/tests/shots`;
const WIDTHS = { 360: 740, 768: 1024, 1440: 900 };
const words = process.argv.slice(2).filter((w) => !w.startsWith('--'));
const readme = process.argv.includes('--readme');
const locale = process.argv.includes('--de') ? 'de-DE' : 'en-GB';

const TITLES = ['Tomatoes on a north balcony', 'Summary of the lease', 'Birthday dinner for eight', 'Why the sky turns red', 'Refactoring the invoice importer, second attempt', 'Train to Lisbon', 'Questions for the dentist'];

const QUESTION = 'I bike to work every day. Can you compare the three routes, and write me something that adds up the week?';
const RICH = `Here is how they compare, from what you noted this week:

| Route | Distance | Climb | Usual time |
|:--|--:|--:|--:|
| River path | 7.4 km | 22 m | 24 min |
| Old bridge | 6.1 km | 61 m | 23 min |
| Through the park | 6.8 km | 35 m | 22 min |

The park is the fastest on most days, although it is not the shortest. A few things to weigh:

- The **river path** floods after two days of rain.
- The **old bridge** saves a kilometre and costs you a hill.
- The **park gates** close at nine in the evening.

To add up a week from your notes:

\`\`\`python
from collections import Counter

def week(rides):
    """Kilometres by route; each ride is a (route, km) pair."""
    total = Counter()
    for route, km in rides:
        total[route] += km
    return total.most_common()
\`\`\`

Shall I look at Thursday, when you took the bridge twice?
`;
/** The question in the README's screenshot: short enough to be shown completely. */
const SHOWN_QUESTION = 'Which way to work was fastest this week? And remind me on Friday to ask about the park gates.';
const SHOWN = `Through the park, on four days of five:

| Route | Distance | Climb | Usual time |
|:--|--:|--:|--:|
| Through the park | 6.8 km | 35 m | **22 min** |
| Old bridge | 6.1 km | 61 m | 23 min |
| River path | 7.4 km | 22 m | 24 min |

In March you noted that the **river path** floods after two days of rain. To add up a week yourself:

\`\`\`python
def week(rides):
    total = Counter()
    for route, km in rides:
        total[route] += km
    return total.most_common()
\`\`\`

I can put the park gates on your to-do list for Friday.
`;
const SHOWN_SESSIONS = [ // title, hours ago
    ['Ways to work by bike', 0],
    ['Tomatoes on a north balcony', 3],
    ['Birthday dinner for eight', 7],
    ['A lamp and lights for the bike', 27],
    ['Questions for the dentist', 30],
    ['Train to Lisbon', 75],
    ['Importing invoices, second attempt', 98],
    ['River levels and flooded paths', 130],
    ['What the lease says about painting', 300],
];
const LONG = `${RICH}

## The hill in numbers

With a mass of $m = 85\\,\\text{kg}$ the climb costs

$$E = m g h = 85 \\cdot 9.81 \\cdot 61 \\approx 51\\,\\text{kJ}$$

1. Measure the time from the bridge to the top.
2. Divide: $P = E / t$.
3. Compare with last month.

> The hill is always longer on the way home.

- [x] Pump up the tyres
- [ ] Ask about the park gates
- [ ] Buy a lamp
`;

const provider = await startProvider();
const SUMMARY = `**About**

Anna compares three ways to work by bike and counts what they add up to in a week.

- The **river path** floods after two days of rain; the park gates close at nine.
- She rode the park route on most days: 6.8 km, 22 minutes.

**Open ends**

- Ask whether the bridge is open on Thursday.
- Buy a lamp before the clocks change.
`;
const FACTS = ['Rides to work by bike, most days through the park', 'The spare key is with the neighbour, Mrs. Okafor', 'Prefers tables to long paragraphs'];
provider.always(answers('Ready.'), (call) => call.prompt.includes('This is a test'));
provider.always(answers(SUMMARY), asksForSummary).always(answers(TOPIC), asksForTopic).always(answers(JSON.stringify({ facts: [] })), asksForFacts);
provider.always(answers(JSON.stringify({ summary: SUMMARY, facts: FACTS }), 400), asksForCompaction);

let titled = 0;
provider.always((call) => answers(TITLES[titled++ % TITLES.length])(call), asksForTitle);
const alfred = await startAlfred({ env: provider.env });
const browser = await launch(alfred);

async function say(client, text, behave, session = 'new') {
    provider.next(behave, (call) => call.asks(text));
    const sent = await client.postJson(`/api/sessions/${session}/messages`, { text });
    const events = await client.events(`/api/turns/${sent.json.turn}/events`);
    await events.until((e) => e.event === 'end');
    return sent.json.session;
}

const at = (hours) => hours * 3_600_000;
const change = (sql, ...values) => alfred.sql(sql, ...values);

async function titles(client, sessions) {
    for (const [i, s] of sessions.entries()) await client.request('PATCH', `/api/sessions/${s.id}`, { json: { title: TITLES[i] } });
}

try {
    const anna = await alfred.admin('anna');
    const fresh = await alfred.user('ben');
    for (const name of ['carla', 'dieter']) await alfred.user(name);
    const sessions = [];
    for (let i = 0; i < TITLES.length - 1; i++) sessions.push(await say(anna, `A question about number ${i}`, answers('A short answer.')));
    const rich = await say(anna, QUESTION, answers(RICH, 200));
    await titles(anna, [...sessions, rich]);
    await anna.request('PATCH', `/api/sessions/${rich.id}`, { json: { title: 'Three ways to work' } });
    mkdirSync(OUT, { recursive: true });

    if (readme) {
        for (const text of FACTS) await anna.postJson('/api/memories', { text, permanent: true });
        const friday = new Date(Date.now() + ((12 - new Date().getUTCDay()) % 7 || 7) * 86_400_000).toISOString().slice(0, 10);
        const shown = [];
        for (const [title, hours] of SHOWN_SESSIONS) {
            const first = !shown.length;
            const behave = first ? callsTool('add_task', { text: 'Ask about the park gates', due: friday }, SHOWN) : answers('A short answer.');
            if (first) provider.next(behave, (call) => asksForAnswer(call) && call.hasToolResult);
            const session = await say(anna, first ? SHOWN_QUESTION : `About: ${title}`, behave);
            await anna.request('PATCH', `/api/sessions/${session.id}`, { json: { title } });
            change('UPDATE session SET active_at = active_at - ?, seen_at = active_at WHERE pub = ?', at(hours), session.id);
            shown.push(session);
        }
        for (const session of [...sessions, rich]) await anna.request('DELETE', `/api/sessions/${session.id}`);
        const context = await browser.newContext({ ignoreHTTPSErrors: true, baseURL: alfred.baseUrl, viewport: { width: 1440, height: 1040 }, colorScheme: 'light', locale: 'en-GB' });
        await context.addCookies([...anna.cookies].map(([name, value]) => ({ name, value, url: alfred.baseUrl })));
        countRequests(context);
        const page = await context.newPage();
        await page.goto(shown[0].url);
        await ready(page);
        await page.locator('.hljs-keyword').first().waitFor();
        await quiet(page);
        await page.screenshot({ path: `${ROOT}/docs/screenshot.png`, caret: 'initial' });
    } else {
        const long = await say(anna, 'Begin with the routes.', answers(LONG, 200));
        for (let i = 0; i < 4; i++) await say(anna, `And what about week ${i + 1}? ${'I rode on most days and noted the times. '.repeat(i)}`, answers(LONG, 300), long.id);
        const failed = await say(anna, 'Will the bridge be open tomorrow?', fails(401, { message: 'bad key' }));
        const asked = await say(anna, 'First try', answers('First answer.'));
        provider.next(answers('A second answer, beside the first.'), asksForAnswer);
        const last = (await anna.getJson(`/api/sessions/${asked.id}`)).messages.at(-1);
        await anna.postJson(`/api/sessions/${asked.id}/messages/${last.id}/regenerate`, {});
        for (const [i, text] of FACTS.entries()) await anna.postJson('/api/memories', { text, tags: ['work bike', 'home', ''][i], permanent: i !== 2 });
        const doomed = (await anna.getJson('/api/memories?q=neighbour')).memories[0];
        const forget = 'Please forget who has the spare key';
        const forgets = callsTool('forget', { id: doomed.id }, 'I can forget that, if you want me to.');
        provider.next(forgets, (c) => asksForAnswer(c) && c.userText === forget);
        const confirm = await say(anna, forget, forgets);
        const old = await say(anna, 'How long is the river path?', answers('7.4 kilometres, and almost level.'));
        change('UPDATE session SET context_tokens = 106400, context_window = 128000, created_at = created_at - ? WHERE pub = ?', at(9), old.id);
        const compacted = await say(anna, QUESTION, answers(RICH, 200));
        for (let i = 0; i < 12; i++) await say(anna, `And what about week ${i + 1}?`, answers('About the same as the one before: **34 km**, and two days of rain.'), compacted.id);
        await anna.postJson(`/api/sessions/${compacted.id}/compact`, { keep: 'The names of the neighbours' });
        const [made] = await until('the compaction is there', async () => {
            const { compactions } = await anna.getJson(`/api/sessions/${compacted.id}/compactions`);
            return compactions.length && compactions;
        });
        const broken = await say(anna, 'And the way through the woods?', answers('Closed since March.'));
        change('UPDATE session SET context_tokens = 121000, context_window = 128000 WHERE pub = ?', broken.id);
        change("INSERT INTO compaction_request (session_id, head_id, keep, by_user, error, asked_at) SELECT id, head_id, '', 1, 'The model did not answer in time. The conversation is as it was.', 1 FROM session WHERE pub = ?", broken.id);
        change("INSERT INTO job (kind, owner, subject, state, attempts, run_at, error, created_at, ended_at) SELECT 'summarise', owner, id, 'dead', 5, active_at, 'the provider answered 500: overloaded', created_at, active_at FROM session WHERE pub = ?", rich.id);
        for (const text of ['Ask about the park gates', 'Buy a lamp before the clocks change']) await anna.postJson('/api/tasks', { text });
        await anna.postJson('/api/exports', {});
        await anna.postJson('/api/personas', { name: 'Cook', text: 'You are a patient cook who explains every step.' });
        await anna.postJson('/api/prompts', { name: 'Translate', text: 'Translate into {{language}}: {{text}}', shared: true });
        await anna.request('POST', '/api/imports', { body: 'Dear Alfred', headers: { 'content-type': 'application/json' } });
        await anna.postJson(`/api/sessions/${rich.id}/summaries`, {});
        await until('the summary is there', async () => (await anna.getJson(`/api/sessions/${rich.id}/summaries`)).summaries.length > 0);
        const running = await anna.postJson('/api/sessions/new/messages', { text: QUESTION });
        const call = await provider.call(asksForAnswer);
        await call.start();
        await call.text(`${RICH.slice(0, 640)}`);

        const open = async (page, act, what) => {
            await act();
            await page.locator(what).first().waitFor();
        };
        /** Name, user, address, preparation. */
        const pages = [
            ['signin', null, '/signin'],
            ['welcome', null, '/welcome'],
            ['chat-empty', fresh, '/'],
            ['chat-new', anna, '/'],
            ['chat-rich', anna, `/s/${rich.id}`],
            ['chat-long', anna, `/s/${long.id}`],
            ['chat-streaming', anna, running.json.session.url, async (page) => page.locator('.answer .b').first().waitFor()],
            [
                'chat-queue',
                anna,
                running.json.session.url,
                async (page) => {
                    await page.locator('#text').fill('And if it rains on all five days, which of them would you take then?');
                    await open(page, () => page.keyboard.press('Enter'), '#queue li');
                    await page.locator('#text').fill('One more\nline\nand another');
                },
            ],
            ['chat-failed', anna, `/s/${failed.id}`],
            ['chat-versions', anna, `/s/${asked.id}`, async (page) => page.locator('.branches').first().waitFor()],
            [
                'chat-edit',
                anna,
                `/s/${rich.id}`,
                async (page) => {
                    await page.locator('article.user').last().hover();
                    await page.locator('article.user .edit summary').last().click();
                },
            ],
            ['chat-quote', anna, `/s/${rich.id}`, async (page) => {
                await open(page, () => page.evaluate(() => getSelection().selectAllChildren(document.querySelector('.answer li:nth-child(2)'))), '.quote');
            }],
            ['chat-gauge', anna, `/s/${rich.id}`, async (page) => open(page, () => page.locator('#gauge summary').click(), '#gauge .sheet')],
            ['chat-gauge-failed', anna, `/s/${broken.id}`, async (page) => open(page, () => page.locator('#gauge summary').click(), '#gauge .sheet')],
            ['chat-rest', anna, `/s/${old.id}`],
            ['chat-confirm', anna, `/s/${confirm.id}`],
            ['chat-compacted', anna, `/s/${compacted.id}`, async (page) => {
                await page.locator('.compacted').evaluate((el) => el.scrollIntoView({ block: 'center' }));
                await page.locator('.newest').waitFor();
            }],
            ['compaction', anna, made.url],
            ['compaction-messages', anna, `${made.url}#messages`],
            ['drawer', anna, `/s/${rich.id}`, async (page) => (page.viewportSize().width < 900 ? page.locator('.side-open').click() : page.locator('#sessions-nav .row').first().hover())],
            ['menu', anna, '/', async (page) => {
                if (page.viewportSize().width < 900) await page.locator('.side-open').click();
                await page.locator('#sessions-nav .row').nth(1).hover();
                await open(page, () => page.locator('#sessions-nav .row-more').nth(1).click(), '.menu');
            }],
            ['account-menu', anna, '/', async (page) => {
                if (page.viewportSize().width < 900) await page.locator('.side-open').click();
                await open(page, () => page.locator('#account-menu > summary').click(), '.account-box');
            }],
            ['session-menu', anna, `/s/${rich.id}`, async (page) => open(page, () => page.locator('#session-menu > summary').click(), '.menu')],
            ['find', anna, `/s/${rich.id}`, async (page) => open(page, () => page.keyboard.press('Control+k'), '.finder [role=option]')],
            ['keys', anna, '/', async (page) => open(page, () => page.keyboard.press('Control+/'), 'dialog[open]')],
            ['sessions', anna, '/sessions'],
            ['sessions-menu', anna, '/sessions', async (page) => open(page, () => page.locator('#session-list .dots').nth(1).click(), '.menu')],
            ['sessions-rename', anna, '/sessions', async (page) => {
                await open(page, () => page.locator('#session-list .dots').first().click(), '.menu');
                await page.getByRole('menuitem').first().click();
            }],
            ['sessions-empty', fresh, '/sessions'],
            ['sessions-none', anna, '/sessions?q=nothing+like+this'],
            ['settings', anna, '/settings'],
            ['personas', anna, '/personas', async (page) => page.locator('.add > summary').first().waitFor()],
            ['prompts', anna, '/prompts'],
            ['account', anna, '/account'],
            ['users', anna, '/admin/users'],
            ['connect', anna, '/connect'],
            ['connect-tested', anna, '/connect', async (page) => {
                await page.locator('form[action^="/connect/test"] button').first().click();
                await page.locator('.verdict').waitFor();
            }],
            ['search', anna, '/search?q=river+path'],
            ['search-none', anna, '/search?q=zyzzyva'],
            ['memory', anna, '/memory'],
            ['memory-edit', anna, '/memory', async (page) => page.locator('.rename summary').first().click()],
            ['memory-empty', fresh, '/memory'],
            ['data', anna, '/data'],
            ['tasks-empty', fresh, '/tasks'],
            ['memory-clear', anna, '/memory/clear'],
            ['tasks', anna, '/tasks'],
            ['data', anna, '/data'],
            ['data-empty', fresh, '/data'],
            ['summary', anna, `/s/${rich.id}/summary`],
            ['jobs', anna, '/admin/jobs'],
            ['telegram', anna, '/admin/telegram'],
            ['outbox', anna, '/admin/outbox'],
            ['trash', anna, '/trash'],
            ['reminders', anna, '/reminders'],
            ['api', anna, '/api'],
            ['error', anna, '/nowhere'],
        ];
        for (const [width, height] of Object.entries(WIDTHS)) {
            for (const colorScheme of ['light', 'dark']) {
                for (const [name, who, path, prepare] of pages) {
                    const file = `${name}-${width}-${colorScheme}${locale === 'de-DE' ? '-de' : ''}`;
                    if (!words.every((w) => file.includes(w))) continue;
                    const touch = Number(width) < 900 ? { hasTouch: true, isMobile: Number(width) < 500 } : {};
                    const context = await browser.newContext({ ignoreHTTPSErrors: true, baseURL: alfred.baseUrl, viewport: { width: Number(width), height }, colorScheme, locale, reducedMotion: 'reduce', ...touch });
                    if (who) await context.addCookies([...who.cookies].map(([key, value]) => ({ name: key, value, url: alfred.baseUrl })));
                    countRequests(context);
                    const page = await context.newPage();
                    await call.write(': still here\n\n'); // otherwise Alfred would give up the provider
                    await page.goto(path);
                    await ready(page);
                    await prepare?.(page);
                    if (!name.includes('streaming') && !name.includes('queue')) await quiet(page);
                    await page.screenshot({ path: `${OUT}/${file}.png`, caret: 'initial' });
                    await context.close();
                }
            }
        }
        call.breakOff();
    }
} finally {
    await browser.close();
    await alfred.stop();
    await provider.stop();
}
