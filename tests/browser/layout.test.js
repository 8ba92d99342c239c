// The layout of the pages: phone, narrow, zoomed, dark, reduced motion, accessibility.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { AxeBuilder } from '@axe-core/playwright';

import { fails } from '../fake/provider.js';
import { Chat, texts } from './lib/chat.js';
import { DESKTOP, answers, phone, quiet, ready, stage } from './lib/stage.js';

const { alfred, provider, open, asked, context } = await stage();
const anna = await alfred.admin('anna');
const ANSWER = `# A heading

Words with \`code\` and [a link](https://example.org).

| one | two | three | four | five | six | seven | eight | nine |
|---|---|---|---|---|---|---|---|---|
| a | b | c | d | e | f | g | h | averyveryverylongwordwithoutanybreakinit |

\`\`\`js
const line = 'a line of code that is a good deal longer than the window of a telephone is wide, as they are';
\`\`\`

- [x] task

$$\\sum_{i=1}^{100} a_1 + a_2 + a_3 + a_4 + a_5 + a_6 + a_7 + a_8 + a_9 + a_{10} + a_{11} + a_{12} + a_{13}$$

AVeryLongWordWithoutAnyBreakInItAsInAnAddressOrAHashThatSomebodyPastedHereWithoutThinkingAboutPhones
`;

/** A session with every element, and a failed one. */
async function session(text, behave) {
    provider.next(behave, (call) => call.userText === text);
    const sent = await anna.postJson('/api/sessions/new/messages', { text });
    const events = await anna.events(`/api/turns/${sent.json.turn}/events`);
    await events.until((e) => e.event === 'end');
    return sent.json.session.url;
}
const full = await session('Show me everything', answers(ANSWER, 100));
const failed = await session('Fail', fails(401));
await alfred.cli(['user', 'add', 'boris'], { input: 'correct horse battery staple\n' });

const id = full.split('/').pop();
await anna.request('PATCH', `/api/sessions/${id}`, { json: { tags: 'Garden' } });
const tag = (await anna.getJson('/api/tags')).tags[0].id;
await anna.postJson(`/api/sessions/${id}/shares`, {});
const { batch } = (await anna.postJson('/api/sessions/batch', { action: 'pin', ids: [id] })).json;
await anna.request('DELETE', `/api${await session('Throw this away', answers('Gone.'))}`.replace('/s/', '/sessions/'), { json: {} });

/** Every page of Alfred, by name: its user and its address. */
const PAGES = [
    ['sign-in', null, '/signin'],
    ['welcome', null, '/welcome'],
    ['new chat', anna, '/'],
    ['conversation', anna, full],
    ['failed answer', anna, failed],
    ['sessions', anna, '/sessions'],
    ['nothing found', anna, '/sessions?q=nothing+like+this'],
    ['account', anna, '/account'],
    ['settings', anna, '/settings'],
    ['users', anna, '/admin/users'],
    ['connect', anna, '/connect'],
    ['search', anna, '/search?q=table'],
    ['memory', anna, '/memory'],
    ['tasks', anna, '/tasks'],
    ['data', anna, '/data'],
    ['summary', anna, `${full}/summary`],
    ['jobs', anna, '/admin/jobs'],
    ['telegram', anna, '/admin/telegram'],
    ['outbox', anna, '/admin/outbox'],
    ['use of tokens', anna, '/usage'],
    ['details', anna, `/sessions/${id}/details`],
    ['export of a conversation', anna, `/sessions/${id}/export`],
    ['tags', anna, '/tags'],
    ['question before a tag is deleted', anna, `/tags/${tag}/delete`],
    ['shared links', anna, '/shares'],
    ['links of a conversation', anna, `/sessions/${id}/share`],
    ['trash', anna, '/trash'],
    ['question before the trash is emptied', anna, '/trash/empty'],
    ['batch', anna, `/batches/${batch.id}`],
    ['reference of the API', anna, '/api'],
    ['error', anna, '/nowhere'],
];

/** Opens each page with colours and formulas, and checks it. */
async function onEveryPage(t, options, look) {
    const pages = new Map();
    for (const [what, as, path] of PAGES) {
        if (!pages.has(as)) pages.set(as, await (await context(t, { as, allow: [/status of 404/], ...options })).newPage());
        const page = pages.get(as);
        await page.goto(path);
        await ready(page);
        if (path === full) {
            await page.locator('.katex').first().waitFor();
            await page.locator('.hljs-keyword').first().waitFor();
        }
        await look(page, what);
    }
}

/** Elements that exceed the window and are not in a scrolling box. */
const sticksOut = (page) =>
    page.evaluate(() => {
        const width = document.documentElement.clientWidth;
        const wide = document.scrollingElement.scrollWidth > width ? [`the page is ${document.scrollingElement.scrollWidth} wide`] : [];
        const inScroller = (el) => {
            for (let p = el; p && p !== document.body; p = p.parentElement) {
                const s = getComputedStyle(p);
                if (s.position === 'fixed' || s.visibility === 'hidden' || (p !== el && /auto|scroll|hidden|clip/.test(s.overflowX)) || s.clipPath !== 'none') return true;
            }
            return false;
        };
        for (const el of document.querySelectorAll('body *')) {
            const box = el.getBoundingClientRect();
            if (el.checkVisibility() && box.width && (box.right > width + 1 || box.left < -1) && !inScroller(el)) wide.push(`${el.tagName}.${el.className} ${Math.round(box.left)}-${Math.round(box.right)}`);
        }
        return wide;
    });

for (const [name, viewport, locale] of [['360 px', { width: 360, height: 740 }, 'en-GB'], ['320 px', { width: 320, height: 640 }, 'en-GB'], ['320 px in German', { width: 320, height: 640 }, 'de-DE']]) {
    test(`at ${name} no page scrolls sideways and nothing is cut off`, async (t) => {
        await onEveryPage(t, { ...phone, viewport, locale }, async (page, what) => assert.deepEqual(await sticksOut(page), [], what));
    });
}

/** The layout shifts since the page was opened: size, and the moved elements. */
const shifts = (page) =>
    page.evaluate(async () => {
        const found = [];
        const observer = new PerformanceObserver((list) => found.push(...list.getEntries()));
        observer.observe({ type: 'layout-shift', buffered: true });
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
        found.push(...observer.takeRecords());
        const name = (node) => (node?.nodeType === 1 ? `${node.tagName}.${node.className}` : node?.nodeName);
        // Browsers report the sum with three decimals.
        return found.filter((e) => e.value >= 0.0005).map((e) => `${e.value.toFixed(4)}: ${e.sources.map((s) => `${name(s.node)} ${s.previousRect.x},${s.previousRect.y} to ${s.currentRect.x},${s.currentRect.y}`).join('; ')}`);
    });

for (const [name, options] of [['360 px', phone], ['1440 px', { viewport: { ...DESKTOP, width: 1440 } }]]) {
    test(`no element moves while a page loads at ${name}`, async (t) => {
        const moved = {};
        await onEveryPage(t, options, async (page, what) => {
            await quiet(page);
            const found = await shifts(page);
            if (found.length) moved[what] = found;
        });
        assert.deepEqual(moved, {});
    });
}

test('at 200 % zoom of a small window every control of the chat is reachable', async (t) => {
    // Zoom halves the CSS pixels and doubles the device pixels.
    const page = await open(t, { as: anna, path: full, viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 });
    assert.deepEqual(await sticksOut(page), []);
    const chat = new Chat(page);
    for (const control of [chat.box, chat.sendButton, page.getByRole('link', { name: 'Show the sidebar' }), page.getByRole('link', { name: 'New chat' }).last()]) {
        await control.scrollIntoViewIfNeeded(); // nothing is sticky in a window this low
        const box = await control.boundingBox();
        assert.ok(box && box.x >= 0 && box.x + box.width <= 640 && box.y >= 0 && box.y + box.height <= 400, String(control));
    }
    // Larger text alone hides nothing, either.
    await page.evaluate(() => document.documentElement.style.setProperty('font-size', '200%'));
    assert.deepEqual(await sticksOut(page), []);
});

test('on a phone the sidebar is a drawer, and the box works', async (t) => {
    const page = await open(t, { as: anna, path: full, ...phone });
    const chat = new Chat(page);
    assert.equal(await chat.sidebar.isVisible(), false);
    await page.getByRole('link', { name: 'Show the sidebar' }).tap();
    await chat.sidebar.waitFor();
    assert.ok(await chat.sidebar.evaluate((el) => el.contains(document.activeElement)), 'the focus goes in');
    assert.ok(await page.locator('#page').evaluate((el) => el.inert), 'the page behind is out of reach');
    await page.keyboard.press('Escape');
    await chat.sidebar.waitFor({ state: 'hidden' });
    await page.getByRole('link', { name: 'Show the sidebar' }).tap();
    await chat.sidebar.waitFor();
    await page.touchscreen.tap(350, 400);
    await chat.sidebar.waitFor({ state: 'hidden' });
    assert.ok(await chat.reply.locator('.acts').evaluate((el) => getComputedStyle(el).opacity === '1'), 'actions need no hover');
    for (const control of [chat.sendButton, page.getByRole('link', { name: 'Show the sidebar' }), chat.act(chat.reply, 'Copy')]) {
        const box = await control.boundingBox();
        assert.ok(box.width >= 40 && box.height >= 40, 'large enough for a thumb');
    }
    await chat.box.tap();
    const zoom = await chat.box.evaluate((el) => parseFloat(getComputedStyle(el).fontSize));
    assert.ok(zoom >= 16, 'iOS does not zoom into it');
    provider.next(answers('On a phone.'), (call) => call.userText === 'Can you hear me?');
    await chat.write('Can you hear me?');
    await chat.sendButton.tap();
    await chat.reads('On a phone.');
    await chat.settled();
    assert.deepEqual(await sticksOut(page), []);
});

test('with reduced motion nothing is animated', async (t) => {
    const page = await open(t, { as: anna, reducedMotion: 'reduce' });
    const chat = new Chat(page);
    await chat.send('Hold still');
    const call = await asked('Hold still');
    await call.text('Still');
    await chat.reads('Still');
    await page.keyboard.press('Control+/');
    await page.getByRole('dialog').waitFor();
    const moving = await page.evaluate(() => document.getAnimations().map((a) => `${a.constructor.name} ${a.animationName ?? a.transitionProperty}`));
    assert.deepEqual(moving, []);
    await call.end();
    await chat.settled();
});

test('dark and light follow the system, and print shows the conversation only', async (t) => {
    const page = await open(t, { as: anna, path: full, colorScheme: 'dark' });
    const brightness = () => page.evaluate(() => getComputedStyle(document.body.parentElement).backgroundColor.match(/\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0));
    assert.ok((await brightness()) < 150);
    await page.emulateMedia({ colorScheme: 'light' });
    assert.ok((await brightness()) > 600);
    await page.emulateMedia({ media: 'print' });
    const chat = new Chat(page);
    assert.deepEqual([await chat.sidebar.isVisible(), await chat.box.isVisible(), await chat.answer.isVisible()], [false, false, true]);
});

test('every control shows its focus', async (t) => {
    const page = await open(t, { as: anna, path: full });
    await page.locator('.skip').focus(); // the first element
    const seen = new Set();
    for (let i = 0; i < 60; i++) {
        await page.keyboard.press('Tab');
        const at = await page.evaluate(() => {
            const el = document.activeElement;
            if (!el || el === document.body) return null;
            // The ring may be on the element or on the box around it.
            const ring = [el, el.parentElement, el.nextElementSibling].some((e) => e && (() => {
                const s = getComputedStyle(e);
                return (s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 1) || (e.matches(':focus-within') && s.boxShadow !== 'none');
            })());
            const box = el.getBoundingClientRect();
            return { name: el.getAttribute('aria-label') ?? el.textContent.trim().slice(0, 30) ?? el.tagName, tag: el.tagName, ring, hidden: box.width === 0 };
        });
        if (!at) break;
        seen.add(`${at.tag} ${at.name}`);
        assert.ok(at.ring, `no focus ring on ${at.tag} ${at.name}`);
        assert.ok(!at.hidden, `focus on something hidden: ${at.tag} ${at.name}`);
    }
    assert.ok(seen.size > 12, [...seen].join(', '));
});

/** Serious and critical findings of axe. */
async function findings(page) {
    const { violations } = await new AxeBuilder({ page }).analyze();
    return violations
        .filter((v) => ['serious', 'critical'].includes(v.impact))
        .flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.html.slice(0, 120)} ${n.failureSummary?.split('\n')[1] ?? ''}`));
}

for (const [colorScheme, locale] of [['light', 'en-GB'], ['dark', 'en-GB'], ['dark', 'de-DE']]) {
    const l = texts(locale.slice(0, 2));
    test(`axe finds nothing serious on any page (${colorScheme}, ${locale})`, async (t) => {
        await onEveryPage(t, { colorScheme, locale }, async (page, what) => assert.deepEqual(await findings(page), [], what));
    });

    test(`axe finds nothing serious in menus, dialogs and sheets (${colorScheme}, ${locale})`, async (t) => {
        const page = await open(t, { as: anna, path: full, colorScheme, locale, reducedMotion: 'reduce' });
        const chat = new Chat(page, l);
        await page.keyboard.press('Control+k');
        await page.getByRole('dialog').getByRole('option').first().waitFor();
        assert.deepEqual(await findings(page), [], 'search box');
        await page.keyboard.press('Escape');
        await page.keyboard.press('Control+/');
        await page.getByRole('dialog').waitFor();
        assert.deepEqual(await findings(page), [], 'keys');
        await page.keyboard.press('Escape');
        await chat.rows.first().hover();
        await chat.rows.first().getByRole('button').click();
        await page.getByRole('menu').waitFor();
        assert.deepEqual(await findings(page), [], 'menu');
        await page.keyboard.press('Escape');
        await chat.question.hover();
        await chat.act(chat.question, l.script_later.edit).click();
        await chat.question.getByRole('textbox').waitFor();
        assert.deepEqual(await findings(page), [], 'edit');
        await page.keyboard.press('Escape');
        const text = `Streaming (${colorScheme}, ${locale})`;
        await chat.send(text);
        const call = await asked(text);
        await call.text('Some words and `code`');
        await chat.answer.filter({ hasText: 'Some words' }).waitFor();
        await chat.send('and this waits');
        await chat.waiting.waitFor();
        assert.deepEqual(await findings(page), [], 'a running answer and a waiting message');
        await chat.waiting.getByRole('button', { name: l.script_later.delete_waiting }).click();
        await call.end();
        await chat.settled();
    });
}

test('every page has one level-one heading, a title, a main landmark and names for all its controls', async (t) => {
    await onEveryPage(t, {}, async (page, what) => {
        assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1, `${what}: one h1`);
        assert.match(await page.title(), /Alfred/, what);
        assert.equal(await page.getByRole('main').count(), 1, what);
        const nameless = await page.locator('a:visible, button:visible, summary:visible').evaluateAll((all) =>
            all.filter((el) => !(el.getAttribute('aria-label') || el.textContent.trim()) && !el.hasAttribute('aria-hidden')).map((el) => el.outerHTML),
        );
        assert.deepEqual(nameless, [], what);
    });
});

/** Bytes of our scripts and styles that a page loads, and all its requests. */
async function weight(t, path, complete) {
    const page = await (await context(t, { as: anna })).newPage();
    const loaded = [];
    page.on('response', (r) => loaded.push(r));
    await page.goto(path);
    await ready(page);
    await quiet(page);
    await complete(page);
    // changes.js and what it loads come a second later, paint.js with its style in idle time, when the page is complete.
    const ours = loaded.filter((r) => /\/static\/([0-9a-f]{12}\/)?(js|css|lang)\//.test(r.url()) && !/\/(changes|hub|follow|watch|morph|reading|land|paint)\.js|\/code\.css/.test(r.url()));
    assert.ok(ours.length > 10);
    const paths = ours.map((r) => new URL(r.url()).pathname.replace(/^\/static\/[0-9a-f]{12}\//, '/static/'));
    assert.deepEqual(paths.filter((p, i) => paths.indexOf(p) !== i), [], 'each file once, under one address');
    let bytes = 0;
    for (const r of ours) {
        bytes += (await r.body()).length;
        assert.match(r.headers()['cache-control'], /immutable/, r.url());
    }
    // The import map is data: the module addresses of this build.
    bytes += (await page.locator('script:not([src], [type=importmap])').allTextContents()).join('').length;
    return { bytes, loaded };
}

test('our script and style on the chat page stay under 60 KB, all from here and cacheable for ever', async (t) => {
    const { bytes, loaded } = await weight(t, '/', () => {});
    t.diagnostic(`a new chat: ${bytes} bytes`);
    assert.ok(bytes < 60_000, `${bytes} bytes`);
    assert.ok(!loaded.some((r) => r.url().includes('/vendor/')), 'no library before something needs it');
});

test('the same for a conversation with code and formulas', async (t) => {
    const { bytes, loaded } = await weight(t, full, async (page) => {
        await page.locator('.katex').first().waitFor();
        await page.locator('.hljs-keyword').first().waitFor();
    });
    t.diagnostic(`a conversation: ${bytes} bytes`);
    assert.ok(bytes < 60_000, `${bytes} bytes`);
    const scripts = loaded.filter((r) => /\/vendor\/.*\.m?js/.test(r.url()));
    const libraries = (await Promise.all(scripts.map((r) => r.body()))).reduce((sum, body) => sum + body.length, 0);
    assert.ok(scripts.length === 2 && libraries < 450_000, `${libraries} bytes of libraries, minified`);
});

test('a desktop shows sidebar and conversation side by side at the sizes of the design', async (t) => {
    const page = await open(t, { as: anna, path: full, viewport: { ...DESKTOP, width: 1440 } });
    const chat = new Chat(page);
    assert.equal(Math.round((await chat.sidebar.boundingBox()).width), 272);
    const composer = await page.locator('#composer').boundingBox();
    assert.equal(Math.round(composer.width), 760);
    const column = await page.locator('#transcript').boundingBox();
    assert.deepEqual([Math.round(column.x), Math.round(column.width)], [Math.round(composer.x), 760]);
    assert.ok((await chat.question.locator('.bubble').boundingBox()).width <= 0.85 * 760 + 1);
    const long = await chat.answer.locator('p').first().evaluate((el) => {
        const probe = document.createElement('span');
        probe.textContent = 'e'.repeat(72);
        probe.style.whiteSpace = 'nowrap';
        el.append(probe);
        const width = probe.getBoundingClientRect().width;
        probe.remove();
        return el.getBoundingClientRect().width <= width;
    });
    assert.ok(long, 'at most 72 characters a line');
});
