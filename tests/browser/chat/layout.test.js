// The layout of the chat page: phone, zoomed, dark, reduced motion, menus and dialogs, its weight. every_page.test.js looks at all pages.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ANSWER } from '../../lib/everything.js';
import { Chat, texts } from '../lib/chat.js';
import { axe, sticksOut } from '../lib/look.js';
import { DESKTOP, answers, nextPage, phone, quiet, ready, stage, until } from '../lib/stage.js';

const { alfred, provider, open, blank, asked } = await stage();
const anna = await alfred.admin('anna');

/** A session with every element. */
async function session(text, behave, as = anna) {
    provider.next(behave, (call) => call.asks(text));
    const sent = await as.postJson('/api/sessions/new/messages', { text });
    const events = await as.events(`/api/turns/${sent.json.turn}/events`);
    await events.until((e) => e.event === 'end');
    return sent.json.session.url;
}
const full = await session('Show me everything', answers(ANSWER, 100));

test('at 200 % zoom of a small window every control of the chat is reachable', async (t) => {
    // Zoom halves the CSS pixels and doubles the device pixels.
    const page = await open(t, { as: anna, path: full, viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 });
    assert.deepEqual(await sticksOut(page), []);
    const chat = new Chat(page);
    for (const control of [chat.box, chat.sendButton, page.getByRole('link', { name: 'Show the sidebar' }), page.getByRole('link', { name: 'New chat' }).last()]) {
        await control.scrollIntoViewIfNeeded(); // nothing stays in a window this low; the bar comes with a scroll upward
        await until(`${control} is in the window`, async () => {
            const box = await control.boundingBox();
            return box && box.x >= 0 && box.x + box.width <= 640 && box.y >= 0 && box.y + box.height <= 400;
        });
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
    const middle = (sel) => chat.reply.locator(sel).evaluate((el) => { const { top, bottom } = el.getBoundingClientRect(); return (top + bottom) / 2; });
    assert.equal(await middle('.acts .when'), await middle('.acts .model'), 'time and model share a line');
    assert.ok((await middle('.acts .when')) > (await middle('.acts [data-act="delete"]')) + 20, 'below the buttons');
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

test('on a phone the message box of a conversation is low until it is used', async (t) => {
    const page = await open(t, { as: anna, path: full, ...phone });
    const foot = page.locator('.foot'), model = page.locator('#composer .choice').first(), note = page.locator('.foot .quiet');
    await quiet(page);
    assert.ok((await foot.boundingBox()).height <= 124, JSON.stringify(await foot.boundingBox()));
    assert.deepEqual([await model.isVisible(), await note.isVisible()], [false, false]);
    const buttons = () => Promise.all(['.send', '#gauge'].map((sel) => page.locator(sel).boundingBox()));
    const before = await buttons();
    await page.locator('#text').tap();
    assert.equal(await model.isVisible(), true);
    assert.deepEqual(await buttons(), before, 'the buttons stay where they are');
    await page.locator('#text').blur();
    await page.locator('#gauge > summary').tap();
    await page.locator('#gauge[open] .sheet').waitFor();
    await page.goto('/');
    await ready(page);
    assert.deepEqual([await model.isVisible(), await note.isVisible()], [true, true], 'a new chat shows what it is asked with');
});

test('on a phone a tap on a button of the last message works while the message box has the focus', async (t) => {
    const page = await open(t, { as: anna, path: full, ...phone });
    const chat = new Chat(page), edit = chat.act(chat.reply, 'Edit');
    await quiet(page);
    const place = async () => (await edit.boundingBox()).y;
    const before = await place();
    await chat.box.tap();
    await page.locator('#composer .choice').first().waitFor();
    assert.equal(await place(), before, 'the conversation stays where it is');
    await edit.tap();
    await chat.reply.getByRole('textbox', { name: 'Source' }).waitFor();
});

test('on a phone the button to the newest message covers none of an editor', async (t) => {
    const page = await open(t, { as: anna, path: await session('Edit this', answers(ANSWER, 100)), ...phone });
    const chat = new Chat(page);
    provider.next(answers(ANSWER, 100), (call) => call.asks('And more'));
    await chat.send('And more');
    await until('two answers are there', async () => (await chat.replies.count()) === 2);
    await chat.settled();
    const first = chat.replies.first(), edited = first.getByRole('textbox', { name: 'Source' });
    await chat.act(first, 'Edit').tap();
    await edited.waitFor();
    const cancel = first.getByRole('button', { name: 'Cancel' });
    // To the place of that button, which is shown while the end of the page is out of view.
    await cancel.evaluate((el) => scrollBy(0, el.getBoundingClientRect().bottom - document.querySelector('#foot').getBoundingClientRect().top + 16));
    await quiet(page);
    const { x, y, width, height } = await cancel.boundingBox(), middle = page.viewportSize().width / 2;
    assert.ok(x < middle && x + width > middle, 'it is below that button');
    await page.touchscreen.tap(middle, y + height / 2);
    await edited.waitFor({ state: 'hidden' });
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

test('an answer that waits pulses without an endless animation, which would draw the page all the time', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await chat.send('Take your time');
    const call = await asked('Take your time');
    for (const what of ['#transcript [data-live]', '.row-mark.running']) {
        await page.locator(`${what}[data-dim]`).waitFor({ state: 'attached' });
        await page.locator(`${what}:not([data-dim])`).waitFor({ state: 'attached' });
    }
    await call.text('Some words');
    await chat.reads('Some words');
    assert.deepEqual(await page.evaluate(() => document.getAnimations().filter((a) => a.effect.getTiming().iterations === Infinity).length), 0);
    const words = chat.answer.locator('p');
    for (const [state, opacity] of [['[data-dim]', '0.35'], [':not([data-dim])', '1']]) {
        await until(`the caret's opacity is ${opacity}`, () => words.and(page.locator(state)).evaluateAll((els, o) => els.some((el) => getComputedStyle(el, '::after').opacity === o && getComputedStyle(el).opacity === '1'), opacity));
    }
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
    await page.setViewportSize({ width: 400, height: 800 });
    const rich = chat.replies.first().locator('.answer'); // other tests go on with this session
    const cut = () => rich.locator('pre, .table-scroll').evaluateAll((all) => all.map((el) => el.scrollWidth - el.clientWidth));
    await rich.hover(); // message.css comes
    await until('code and tables are as wide as the paper', async () => (await cut()).every((px) => px <= 0)).catch(async (e) => assert.fail(`${e.message}: ${await cut()}`));
    assert.ok((await cut()).length > 0);
    assert.equal(await rich.locator('.code-copy').first().isVisible(), false);
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

for (const [colorScheme, locale] of [['light', 'en-GB'], ['dark', 'en-GB'], ['dark', 'de-DE']]) {
    const l = texts(locale.slice(0, 2));
    test(`axe finds nothing in menus, dialogs and sheets (${colorScheme}, ${locale})`, async (t) => {
        const page = await open(t, { as: anna, path: full, colorScheme, locale, reducedMotion: 'reduce' });
        const chat = new Chat(page, l);
        await page.keyboard.press('Control+k');
        await page.getByRole('dialog').getByRole('option').first().waitFor();
        assert.deepEqual(await axe(page), [], 'search box');
        await page.keyboard.press('Escape');
        await page.keyboard.press('Control+/');
        await page.getByRole('dialog').waitFor();
        assert.deepEqual(await axe(page), [], 'keys');
        await page.keyboard.press('Escape');
        await chat.rows.first().hover();
        await chat.rows.first().getByRole('button').click();
        await page.getByRole('menu').waitFor();
        assert.deepEqual(await axe(page), [], 'menu');
        await page.keyboard.press('Escape');
        await chat.question.hover();
        await chat.act(chat.question, l.script_later.edit).click();
        await chat.question.getByRole('textbox').waitFor();
        assert.deepEqual(await axe(page), [], 'edit');
        await page.keyboard.press('Escape');
        const text = `Streaming (${colorScheme}, ${locale})`;
        await chat.send(text);
        const call = await asked(text);
        await call.text('Some words and `code`');
        await chat.answer.filter({ hasText: 'Some words' }).waitFor();
        await chat.send('and this waits');
        await chat.waiting.waitFor();
        assert.deepEqual(await axe(page), [], 'a running answer and a waiting message');
        await chat.waiting.getByRole('button', { name: l.script_later.delete_waiting }).click();
        await call.end();
        await chat.settled();
    });
}

/** Bytes of our scripts and styles that a page loads, and all its requests. */
async function weight(t, path, complete) {
    const page = await blank(t, { as: anna });
    const loaded = [];
    page.on('response', (r) => loaded.push(r));
    await page.route('**/js/frame/changes.js*', (route) => route.fulfill({ contentType: 'text/javascript', body: '' })); // comes a second later, with more
    await page.goto(path);
    await ready(page);
    await quiet(page);
    await complete(page);
    // paint.js, its worker and its style come in idle time, when the page is complete.
    const ours = loaded.filter((r) => /\/static\/([0-9a-f]{12}\/)?(js|css|lang)\//.test(r.url()) && !/\/(changes|paint|highlight|idle)\.js|\/code\.css/.test(r.url()));
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
    return { bytes, loaded, paths };
}

test('our script and style on the chat page stay under 60 KB, all from here and cacheable for ever', async (t) => {
    const { bytes, loaded, paths } = await weight(t, '/', () => {});
    t.diagnostic(`a new chat: ${bytes} bytes`);
    assert.ok(bytes < 60_000, `${bytes} bytes: ${paths}`);
    assert.ok(!loaded.some((r) => r.url().includes('/vendor/')), 'no library before something needs it');
});

test('for a conversation with code and formulas they stay under 63 KB', async (t) => {
    const { bytes, loaded, paths } = await weight(t, full, async (page) => {
        await page.locator('.katex').first().waitFor();
        await page.locator('.hljs-keyword').first().waitFor();
    });
    t.diagnostic(`a conversation: ${bytes} bytes`);
    assert.ok(bytes < 63_000, `${bytes} bytes: ${paths}`);
    const scripts = loaded.filter((r) => /\/vendor\/.*\.m?js/.test(r.url()));
    const libraries = (await Promise.all(scripts.map((r) => r.body()))).reduce((sum, body) => sum + body.length, 0);
    assert.ok(scripts.length === 2 && libraries < 450_000, `${libraries} bytes of libraries, minified`);
});

/** The pixels that two boxes share. */
const shared = (a, b) => Math.max(0, Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)) * Math.max(0, Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y));

for (const locale of ['en-GB', 'de-DE'])
    test(`on a phone a notice hides neither title nor message nor box (${locale})`, async (t) => {
        const l = texts(locale.slice(0, 2));
        const as = await alfred.user(`notices-${locale.slice(0, 2)}`);
        const page = await open(t, { as, path: '/tasks', ...phone, locale, allow: [/status of 400/] });
        const chat = new Chat(page, l), title = page.locator('main h1, .bar h1').first();
        const hides = async (notice, ...others) => {
            const box = await notice.boundingBox();
            assert.ok(box.x >= 0 && box.x + box.width <= page.viewportSize().width, JSON.stringify(box));
            for (const one of others) assert.equal(shared(box, await one.boundingBox()), 0, `${await notice.innerText()} and ${one}`);
        };
        // A refused form, whose error has some lines; the same in a low window.
        await page.locator('.remind-form summary').first().click();
        await page.locator('.remind-form [name=text]').first().fill('Water the plants');
        await page.locator('.remind-form [name=choice]').first().selectOption('custom');
        await page.locator('.remind-form [name=repeat]').first().fill('now and then');
        await nextPage(page, () => page.locator('main > .remind-form button').click());
        const problem = page.locator('main > .problem');
        await problem.waitFor();
        await page.evaluate(() => scrollTo(0, 0));
        await hides(problem, title, page.locator('.bar .ibtn').first(), page.locator('.bar .ibtn').last());
        await page.setViewportSize({ width: 360, height: 340 });
        await page.evaluate(() => scrollTo(0, 0));
        await hides(problem, title);
        await page.evaluate(() => scrollTo(0, 200));
        assert.ok((await problem.boundingBox()).y >= 0, 'it stays in view');
        // A longer notice of a page, in a narrow window, and one of a line, which moves nothing.
        await page.setViewportSize({ width: 320, height: 740 });
        await page.goto('/memory?done=memory_known');
        await hides(page.locator('.flash'), title);
        await page.setViewportSize({ width: 360, height: 740 });
        await page.goto('/memory');
        const place = (await title.boundingBox()).y;
        await page.goto('/memory?done=suggestion_done');
        assert.equal((await title.boundingBox()).y, place);
        // One with a button, in a list, and at the end of a conversation.
        await page.goto('/');
        await ready(page);
        await chat.exchange(provider, answers('A line of an answer.\n\n'.repeat(30)), `Notices ${locale}`);
        const archive = async () => {
            await page.locator('#session-menu summary').evaluate((el) => el.click()); // Playwright would scroll
            await page.getByRole('menuitem', { name: l.script_later.archive }).evaluate((el) => el.click());
            await page.locator('.toast .btn').waitFor();
        };
        await chat.box.blur();
        await until('the end has its room', async () => {
            await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
            const [acts, foot] = await Promise.all([chat.reply.locator('.acts'), page.locator('#foot')].map((el) => el.boundingBox()));
            return acts.y + acts.height <= foot.y - 60 && page.locator('.toasts').evaluate((el) => el.style.getPropertyValue('--foot') !== '');
        });
        await archive();
        await hides(page.locator('.toast'), page.locator('.bar'), chat.answer, chat.reply.locator('.acts'), page.locator('#composer'));
        await page.locator('#toasts').getByRole('button', { name: l.script_later.undo }).click();
        await page.locator('.toast .btn').waitFor({ state: 'detached' });
        await page.evaluate(() => scrollTo(0, 300));
        const newest = page.locator('.newest');
        await newest.waitFor();
        await archive();
        await hides(page.locator('.toast'), page.locator('.bar'), newest, page.locator('#composer'));
        await session(`Listed ${locale}`, answers('Yes.'), as);
        await page.goto('/sessions');
        await ready(page); // without script the form leads to another page
        await page.locator('#session-list .choose').first().check();
        await page.locator('#batch').getByRole('button', { name: l.script_later.archive }).click();
        await page.locator('.toast .btn').waitFor();
        await hides(page.locator('.toast'), title, page.locator('.find'));
        assert.deepEqual(await axe(page), []);
    });

test('on a new chat the link to a temporary one begins where the examples begin, with space above it', async (t) => {
    for (const options of [{}, phone]) {
        const page = await open(t, { as: anna, ...options });
        const [icon, link, last] = await Promise.all(['.hello-temporary svg', '.hello-temporary a', '.example:last-child'].map((s) => page.locator(s).boundingBox()));
        assert.equal(icon.x, last.x);
        assert.ok(link.y - last.y - last.height >= 15, JSON.stringify([link, last]));
    }
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
