// Pictures of every page, for eyes: at 360, 768 and 1440 px, light and dark, empty, long, streaming and failed.
//
//     make shots              all of them, into tests/shots
//     scripts/node tests/browser/shots.js streaming 360     those whose name has all of these words
//     scripts/node tests/browser/shots.js --readme          docs/screenshot.png
import { mkdirSync } from 'node:fs';

import { answers, fails, startProvider } from '../fake/provider.js';
import { ROOT, startAlfred } from '../lib/rig.js';
import { asksForAnswer, asksForTitle } from '../lib/chat.js';
import { launch, ready } from './lib/stage.js';

const OUT = `${ROOT}/tests/shots`;
const WIDTHS = { 360: 740, 768: 1024, 1440: 900 };
const words = process.argv.slice(2).filter((w) => !w.startsWith('--'));
const readme = process.argv.includes('--readme');

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
/** Short enough to be seen whole in the README. */
const SHOWN = `Here is how they compare, from what you noted this week:

| Route | Distance | Climb | Usual time |
|:--|--:|--:|--:|
| River path | 7.4 km | 22 m | 24 min |
| Old bridge | 6.1 km | 61 m | 23 min |
| Through the park | 6.8 km | 35 m | 22 min |

Two things to weigh:

- The **river path** floods after two days of rain.
- The **park gates** close at nine in the evening.

To add up a week:

\`\`\`python
def week(rides):
    total = Counter()
    for route, km in rides:
        total[route] += km
    return total.most_common()
\`\`\`
`;
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
let titled = 0;
provider.always((call) => answers(TITLES[titled++ % TITLES.length])(call), asksForTitle);
const alfred = await startAlfred({ env: provider.env });
const browser = await launch();

async function say(client, text, behave, session = 'new') {
    provider.next(behave, (call) => call.userText === text);
    const sent = await client.postJson(`/api/sessions/${session}/messages`, { text });
    const events = await client.events(`/api/turns/${sent.json.turn}/events`);
    await events.until((e) => e.event === 'end');
    return sent.json.session;
}

async function titles(client, sessions) {
    for (const [i, s] of sessions.entries()) await client.request('PATCH', `/api/sessions/${s.id}`, { json: { title: TITLES[i] } });
}

try {
    const anna = await alfred.admin('anna');
    const fresh = await alfred.user('ben');
    for (const name of ['carla', 'dieter']) await alfred.user(name);
    const sessions = [];
    for (let i = 0; i < TITLES.length - 1; i++) sessions.push(await say(anna, `A question about number ${i}`, answers('A short answer.')));
    const rich = await say(anna, QUESTION, answers(readme ? SHOWN : RICH, 200));
    await titles(anna, [...sessions, rich]);
    await anna.request('PATCH', `/api/sessions/${rich.id}`, { json: { title: 'Three ways to work' } });
    mkdirSync(OUT, { recursive: true });

    if (readme) {
        const context = await browser.newContext({ ignoreHTTPSErrors: true, baseURL: alfred.baseUrl, viewport: { width: 1280, height: 932 }, colorScheme: 'light', locale: 'en-GB' });
        await context.addCookies([...anna.cookies].map(([name, value]) => ({ name, value, url: alfred.baseUrl })));
        const page = await context.newPage();
        await page.goto(`/s/${rich.id}`);
        await ready(page);
        await page.locator('.hljs-keyword').first().waitFor();
        await page.screenshot({ path: `${ROOT}/docs/screenshot.png`, caret: 'initial' });
    } else {
        const long = await say(anna, 'Begin with the routes.', answers(LONG, 200));
        for (let i = 0; i < 4; i++) await say(anna, `And what about week ${i + 1}? ${'I rode on most days and noted the times. '.repeat(i)}`, answers(LONG, 300), long.id);
        const failed = await say(anna, 'Will the bridge be open tomorrow?', fails(401, { message: 'bad key' }));
        const asked = await say(anna, 'First try', answers('First answer.'));
        provider.next(answers('A second answer, beside the first.'), asksForAnswer);
        const last = (await anna.getJson(`/api/sessions/${asked.id}`)).messages.at(-1);
        await anna.postJson(`/api/sessions/${asked.id}/messages/${last.id}/regenerate`, {});
        const running = await anna.postJson('/api/sessions/new/messages', { text: QUESTION });
        const call = await provider.call(asksForAnswer);
        await call.start();
        await call.text(`${RICH.slice(0, 640)}`);

        const open = async (page, act, what) => {
            await act();
            await page.locator(what).first().waitFor();
        };
        /** Name, who, where, what is done there first. */
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
            ['drawer', anna, `/s/${rich.id}`, async (page) => (page.viewportSize().width < 900 ? page.locator('.side-open').click() : page.locator('#sessions-nav .row').first().hover())],
            ['menu', anna, '/', async (page) => {
                if (page.viewportSize().width < 900) await page.locator('.side-open').click();
                await page.locator('#sessions-nav .row').nth(1).hover();
                await open(page, () => page.locator('#sessions-nav .row-more').nth(1).click(), '.menu');
            }],
            ['jump', anna, `/s/${rich.id}`, async (page) => open(page, () => page.keyboard.press('Control+k'), '.jump li')],
            ['keys', anna, '/', async (page) => open(page, () => page.keyboard.press('Control+/'), 'dialog[open]')],
            ['sessions', anna, '/sessions'],
            ['sessions-rename', anna, '/sessions', async (page) => page.locator('.rename summary').first().click()],
            ['sessions-empty', fresh, '/sessions'],
            ['sessions-none', anna, '/sessions?q=nothing+like+this'],
            ['account', anna, '/account'],
            ['users', anna, '/admin/users'],
            ['connect', anna, '/connect'],
            ['search', anna, '/search?q=the'],
            ['memory', anna, '/memory'],
            ['summary', anna, `/s/${rich.id}/summary`],
            ['jobs', anna, '/admin/jobs'],
            ['delete', anna, `/sessions/${rich.id}/delete`],
            ['error', anna, '/nowhere'],
        ];
        for (const [width, height] of Object.entries(WIDTHS)) {
            for (const colorScheme of ['light', 'dark']) {
                for (const [name, who, path, prepare] of pages) {
                    const file = `${name}-${width}-${colorScheme}`;
                    if (!words.every((w) => file.includes(w))) continue;
                    const touch = Number(width) < 900 ? { hasTouch: true, isMobile: Number(width) < 500 } : {};
                    const context = await browser.newContext({ ignoreHTTPSErrors: true, baseURL: alfred.baseUrl, viewport: { width: Number(width), height }, colorScheme, locale: 'en-GB', reducedMotion: 'reduce', ...touch });
                    if (who) await context.addCookies([...who.cookies].map(([key, value]) => ({ name: key, value, url: alfred.baseUrl })));
                    const page = await context.newPage();
                    await call.write(': still here\n\n'); // or Alfred would give the provider up
                    await page.goto(path);
                    await ready(page);
                    await prepare?.(page);
                    await page.waitForLoadState(name.includes('streaming') || name.includes('queue') ? 'load' : 'networkidle');
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
