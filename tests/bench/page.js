// The pages in Chromium with a processor slowed four times: first paint, layout shifts, frames while an answer streams and
// while a long session scrolls. Two pages are measured in the same run, whose gaps between frames are the machine's: one
// only counts its frames, one has plain messages that scroll.
import { provide } from '../lib/chat.js';
import { startAlfred, until } from '../lib/rig.js';
import { chatgpt } from '../lib/transfer.js';
import { launch, ready, traced } from '../browser/lib/stage.js';
import { median, sleep } from './measure.js';

const SLOWER = 4;
const ROUNDS = 7;
const STREAM_SECONDS = 6;
const PIECES_PER_SECOND = 40;
const LONG = 5000; // messages
const SHIFT_MS = 2000; // after the page is loaded; its stream of events never ends
const REST_MS = 2000; // from the load to the first notch: what the page does at its start is not scrolling
const WHEEL = 120; // pixels of one notch of a wheel
const NOTCHES = 10; // between two looks at where the page is; a look takes a part of a frame
const SCROLL_SECONDS_MAX = 540;
const TRACED_SECONDS = 30;
const PLAIN = 300; // messages
const PLAIN_SECONDS = 60;
const LONG_FRAME_MS = 50;
const VIEWPORT = { width: 1280, height: 800 };

const CODE = `\`\`\`js\n${Array.from({ length: 12 }, (_, i) => `const value${i} = compute(${i}, 'text ${i}'); // a comment`).join('\n')}\n\`\`\``;
const FORMULA = '$$\\sum_{i=1}^{n} \\frac{a_i}{b_i + 1} = \\int_0^1 f(x)\\,dx$$';
const RICH = `# A heading\n\nWords with \`code\`, $a^2 + b^2$ and **bold**.\n\n${CODE}\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n${FORMULA}\n\n- one\n- two\n`;

/** The text of a message of the long session. */
const longText = (_, i) => (i % 2 === 0 ? `Question ${i}: what is next?` : i % 20 === 1 ? RICH : `Answer ${i}. ${'Some words of an answer, as long as answers are. '.repeat(6)}\n\n- a point\n- another`);

class Pages {
    async start() {
        this.provider = await provide({ title: 'A title' });
        this.alfred = await startAlfred({ env: this.provider.env });
        this.anna = await this.alfred.admin('anna');
        this.browser = await launch(this.alfred);
        const body = JSON.stringify([chatgpt('long', Array.from({ length: LONG }, longText), { title: 'A long one', create_time: 1.7e9 })]);
        const headers = { 'content-type': 'application/octet-stream', accept: 'application/json' };
        await this.anna.request('POST', '/api/imports', { body, headers });
        this.long = await until('the long session is imported', async () => (await this.anna.getJson('/api/sessions')).sessions.find((s) => s.title === 'A long one')?.url);
        this.rich = await this.session('Show me everything', async (call) => {
            await call.start();
            await call.text(RICH);
            await call.end();
        });
    }

    async session(text, behave) {
        this.provider.next(behave, (call) => call.asks(text));
        const sent = await this.anna.postJson('/api/sessions/new/messages', { text });
        await (await this.anna.events(`/api/turns/${sent.json.turn}/events`)).until((e) => e.event === 'end');
        return sent.json.session.url;
    }

    /** A page in a browser without a cache, slowed. */
    async page(options = {}) {
        const context = await this.browser.newContext({ ignoreHTTPSErrors: true, baseURL: this.alfred.baseUrl, viewport: VIEWPORT, ...options });
        await context.addCookies([...this.anna.cookies].map(([name, value]) => ({ name, value, url: this.alfred.baseUrl })));
        const page = await context.newPage();
        await (await context.newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
        return page;
    }

    async stop() {
        await this.browser?.close();
        await this.alfred?.stop();
        await this.provider?.stop();
    }
}

/** Runs in the page: notes the milliseconds between frames. */
const countFrames = () => {
    window.gaps = [];
    let last = performance.now();
    const step = (now) => {
        window.gaps.push(now - last);
        last = now;
        requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
};
const share = (values, part) => [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * part)];

async function firstPaint(b, path) {
    const took = [];
    for (let i = 0; i < ROUNDS; i++) {
        const page = await b.page();
        await page.goto(path);
        await ready(page);
        took.push(await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime));
        await page.context().close();
    }
    return median(took);
}

async function shift(b, path, options) {
    const page = await b.page(options);
    await page.goto(path);
    await ready(page);
    await page.waitForLoadState('load');
    await sleep(SHIFT_MS);
    const sum = await page.evaluate(async () => {
        let total = 0;
        new PerformanceObserver((list) => list.getEntries().forEach((e) => (total += e.value))).observe({ type: 'layout-shift', buffered: true });
        await new Promise((done) => requestIdleCallback(() => requestAnimationFrame(() => setTimeout(done))));
        return total;
    });
    await page.context().close();
    return sum;
}

async function streaming(b) {
    const page = await b.page();
    await page.goto('/');
    await ready(page);
    const text = 'Stream at length';
    await page.locator('#text').fill(text);
    await page.locator('#text').press('Enter');
    const call = await b.provider.call((c) => c.asks(text));
    await call.start();
    await call.text('It begins. ');
    await page.locator('.answer').getByText('It begins.').waitFor();
    await page.evaluate(countFrames);
    const pieces = `${RICH}\n\n`.repeat(20).match(/[^]{1,12}/g);
    for (let i = 0; i < STREAM_SECONDS * PIECES_PER_SECOND; i++) {
        await call.text(pieces[i % pieces.length]);
        await sleep(1000 / PIECES_PER_SECOND);
    }
    const gaps = await page.evaluate(() => window.gaps);
    await call.end();
    await page.context().close();
    return gaps;
}

/** Turns the wheel until `over` is true, which looks at the page. `direction` is asked for each notch. */
async function turnWheel(page, seconds, over, direction = () => -1) {
    const begun = performance.now();
    for (let n = 0; performance.now() - begun < seconds * 1000; ) {
        for (let i = 0; i < NOTCHES; i++, n++) await page.mouse.wheel(0, direction(n) * WHEEL);
        if (await page.evaluate(over)) break;
    }
    return (performance.now() - begun) / 1000;
}

/** The long session at rest, with the pointer over its messages. */
async function atRest(b) {
    const page = await b.page();
    await page.goto(b.long);
    await ready(page);
    await page.waitForLoadState('load');
    await page.mouse.move(640, 300);
    await sleep(REST_MS);
    return page;
}

/** Turns the wheel upward until the first message is at the top. */
async function scrolling(b) {
    const page = await atRest(b);
    await page.evaluate(countFrames);
    const seconds = await turnWheel(page, SCROLL_SECONDS_MAX, () => !document.querySelector('#older') && scrollY === 0);
    // The page keeps a part of the messages, so their number is that of the first question in it.
    const got = await page.evaluate(() => ({ gaps: window.gaps, top: Number(/\d+/.exec(document.querySelector('#transcript article.user').textContent)[0]) }));
    await page.context().close();
    return { gaps: got.gaps, messages: LONG - got.top, seconds };
}

/**
 * The tasks of the main thread while the long session scrolls: milliseconds of processor time, which other programs lengthen
 * less than they lengthen frames, and whether most of it was the engine's garbage collection.
 */
async function scrollingTasks(b) {
    const page = await atRest(b);
    await page.evaluate(countFrames); // its callbacks tell the main thread from others
    const act = () => turnWheel(page, TRACED_SECONDS, () => scrollY < 0);
    const events = await traced(page, act, ['devtools.timeline', 'disabled-by-default-devtools.timeline']);
    await page.context().close();
    const { pid, tid } = events.find((e) => e.name === 'FireAnimationFrame');
    const mine = events.filter((e) => e.pid === pid && e.tid === tid && e.ph === 'X' && e.tdur);
    const collections = mine.filter((e) => /^(Major|Minor)GC$/.test(e.name));
    return mine.filter((e) => e.name === 'RunTask').map((task) => {
        const collected = collections.filter((e) => e.ts >= task.ts && e.ts + e.dur <= task.ts + task.dur).reduce((sum, e) => sum + e.tdur, 0);
        return { ms: task.tdur / 1000, collects: collected > task.tdur / 2 };
    });
}

/** Gaps between the frames of a page of plain messages without scripts of ours, whose wheel turns up and down. */
async function plainScrolling(b) {
    const page = await b.page();
    await page.setContent(`<body style="font: 16px/1.6 sans-serif; max-inline-size: 720px; margin: auto">${Array.from({ length: PLAIN }, (_, i) => `<p>${longText(0, 2 * i)}</p><p>${longText(0, 3)}</p>`).join('')}`);
    await page.mouse.move(640, 300);
    await page.evaluate(countFrames);
    await turnWheel(page, PLAIN_SECONDS, () => false, (n) => (n % 400 < 200 ? 1 : -1));
    const gaps = await page.evaluate(() => window.gaps);
    await page.context().close();
    return gaps;
}

const perThousand = (gaps) => (1000 * gaps.filter((ms) => ms > LONG_FRAME_MS).length) / gaps.length;

async function still(b) {
    const page = await b.page();
    await page.goto('/static/icons/favicon.svg');
    await page.evaluate(countFrames);
    await sleep(STREAM_SECONDS * 1000);
    const gaps = await page.evaluate(() => window.gaps);
    await page.context().close();
    return gaps;
}

export async function measurePages(table) {
    const b = new Pages();
    try {
        await b.start();
        table.part('page', `Pages in Chromium, its processor slowed ${SLOWER} times`);
        table.row('first contentful paint of a new chat, empty cache', await firstPaint(b, '/'), 'ms', { aim: 300 });
        table.row('  of a session with code and formulas', await firstPaint(b, b.rich), 'ms');
        const paths = ['/', '/sessions', '/search?q=words', '/memory', '/tasks', '/data', '/account', b.rich, b.long];
        const shifts = [];
        for (const path of paths) for (const options of [{}, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }]) shifts.push(await shift(b, path, options));
        table.row(`layout shift, the worst of ${shifts.length} pages`, Math.max(...shifts), '', { aim: 0.0005 });
        const idle = await still(b);
        const stream = await streaming(b);
        table.row('frames while an answer streams, slowest of 20', share(stream, 0.95), 'ms', { aim: 34 });
        table.row('  / the same of a page that does nothing', share(stream, 0.95) / share(idle, 0.95), 'x');
        const tasks = await scrollingTasks(b);
        const plain = await plainScrolling(b);
        const scroll = await scrolling(b);
        table.row(`messages scrolled, of ${LONG}`, scroll.messages, '', { aim: LONG, least: true });
        table.row('frames while a long session scrolls to its start, the slowest', Math.max(...scroll.gaps), 'ms', { aim: LONG_FRAME_MS });
        table.row('  frames over 50 ms', scroll.gaps.filter((ms) => ms > LONG_FRAME_MS).length, '');
        table.row('  the same of 1,000 frames', perThousand(scroll.gaps), '');
        table.row('  the same of a page of plain messages', perThousand(plain), '');
        table.row('  the slowest of the page of plain messages', Math.max(...plain), 'ms');
        table.row('  slowest of 100', share(scroll.gaps, 0.99), 'ms');
        table.row('  the slowest of a page that does nothing', Math.max(...idle), 'ms');
        table.row('  it took', scroll.seconds, 's');
        table.row(`slowest task while it scrolls for ${TRACED_SECONDS} s, processor time of the main thread`, Math.max(...tasks.map((t) => t.ms)), 'ms', { aim: LONG_FRAME_MS });
        table.row('  tasks over 50 ms', tasks.filter((t) => t.ms > LONG_FRAME_MS).length, '');
        table.row('  of these, mostly a garbage collection', tasks.filter((t) => t.collects && t.ms > LONG_FRAME_MS).length, '');
        table.row('  slowest of 1,000', share(tasks.map((t) => t.ms), 0.999), 'ms');
    } finally {
        await b.stop();
    }
}
