// A session of some hundred messages: the page keeps some of them, and all can be reached.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { bring, chatgpt } from '../../lib/transfer.js';
import { Chat } from '../lib/chat.js';
import { staysTooLarge } from '../lib/look.js';
import { DESKTOP, loaded, phone, quiet, ready, stage, traced, until } from '../lib/stage.js';

/** KEPT_MAX: 100 that stay, a part of 50 that is being removed, and one that is being added. */
const MESSAGES = 350, KEPT_MAX = 200;
const { alfred, open, blank, asked } = await stage();
const anna = await alfred.admin('anna');

const texts = Array.from({ length: MESSAGES }, (_, i) => `Message ${i}.`);
const body = JSON.stringify([chatgpt('long', texts, { title: 'A long one', create_time: 1.7e9, update_time: 1.7e9 })]);
await anna.request('POST', '/api/imports', { body, headers: { 'content-type': 'application/octet-stream', accept: 'application/json' } });
const path = await until('it is imported', async () => (await anna.getJson('/api/sessions')).sessions.find((s) => s.title === 'A long one')?.url);

const numbers = (page) => page.locator('#transcript article').evaluateAll((all) => all.map((el) => Number(/Message (\d+)\./.exec(el.textContent)?.[1])));
const first = async (page) => (await numbers(page))[0];
const last = async (page) => (await numbers(page)).at(-1);

/** Goes on in one direction until the condition is true; checks each part. */
async function scrollUntil(page, y, is) {
    await until('the end of this direction', async () => {
        await page.evaluate(`scrollTo(0, ${y})`);
        const shown = await numbers(page);
        assert.deepEqual(shown, shown.map((_, i) => shown[0] + i), 'one stretch of the conversation');
        assert.ok(shown.length <= KEPT_MAX, `${shown.length} messages in the page`);
        return is();
    });
}

test('up to the first message and down to the last one, with a part of them in the page', async (t) => {
    const page = await open(t, { as: anna, path });
    // Between two looks at a slow clock more time passes than a frame may take. How many messages come or go in a frame?
    await page.evaluate(() => {
        const now = performance.now.bind(performance);
        let passed = 0;
        Object.defineProperty(performance, 'now', { value: () => now() + (window.slow ? (passed += 100) : passed) });
        window.slow = true;
        window.mostAtOnce = 0;
        new MutationObserver((changes) => {
            const n = changes.reduce((sum, c) => sum + c.addedNodes.length + c.removedNodes.length, 0);
            if (window.slow) window.mostAtOnce = Math.max(window.mostAtOnce, n);
        }).observe(document.querySelector('#transcript'), { childList: true });
    });
    const slow = (is) => page.evaluate((is) => { window.slow = is; }, is);
    await page.mouse.move(600, 300);
    await page.mouse.wheel(0, -100);
    await scrollUntil(page, '0', async () => (await page.locator('#newer').count()) > 0); // some have come, others have gone
    await slow(false);
    await scrollUntil(page, '0', async () => (await first(page)) === 0);
    await until('the end has left the page', () => page.locator('#newer').count());
    await slow(true);
    const end = await last(page);
    await scrollUntil(page, 'document.documentElement.scrollHeight', async () => (await last(page)) >= end + 50);
    await slow(false);
    await scrollUntil(page, 'document.documentElement.scrollHeight', async () => (await last(page)) === MESSAGES - 1 && !(await page.locator('#newer').count()));
    assert.equal(await page.evaluate(() => window.mostAtOnce), 1);
    await until('the beginning has left the page', () => page.locator('#older').count());
});

/** A page whose idle callbacks wait: those that add messages, and those that lay them out. */
async function withoutIdleTime(t) {
    const page = await blank(t, { as: anna });
    await page.addInitScript(() => {
        window.held = { adding: [], layout: [] };
        window.requestIdleCallback = (fn, o) => window.held[o?.timeout ? 'adding' : 'layout'].push(fn);
    });
    await page.goto(path);
    await ready(page);
    await until('messages wait for their layout', () => page.evaluate(() => window.held.layout.length));
    return page;
}

test('a jump upward is kept while heights of messages become known', async (t) => {
    const page = await withoutIdleTime(t);
    await page.evaluate(async () => {
        scrollTo(0, 0);
        while (window.held.layout.length) window.held.layout.shift()({ timeRemaining: () => 50 });
        for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
    });
    assert.ok(await page.evaluate(() => scrollY < innerHeight), 'it does not go back to the end');
});

test('messages are added and laid out in idle time, and shown without it', async (t) => {
    const page = await withoutIdleTime(t);
    const pump = (which) => page.evaluate((which) => window.held[which].splice(0).forEach((fn) => fn({ timeRemaining: () => 50 })), which);
    const begin = await first(page);
    await page.mouse.move(600, 300);
    await page.mouse.wheel(0, -100);
    await page.evaluate('scrollTo(0, 0)');
    await until('an older part is read', () => page.evaluate(() => window.held.adding.length));
    assert.equal(await first(page), begin, 'nothing is added without idle time');
    await until('the part is added', async () => {
        await pump('adding');
        return (await first(page)) === begin - 50;
    });
    const acts = () => page.locator('#transcript .acts').evaluateAll((all) => all.map((el) => ({ later: el.style.contentVisibility === 'auto', contained: el.style.contain, inView: el.getBoundingClientRect().bottom > 60 && el.getBoundingClientRect().top < innerHeight, shown: el.querySelector('button').checkVisibility({ contentVisibilityAuto: true }) })));
    const before = await acts();
    assert.ok(before.slice(0, 20).every((a) => a.later && !a.shown), 'what is far is not laid out yet');
    assert.ok(before.some((a) => a.inView) && before.every((a) => a.shown || !a.inView), 'what is in view is shown');

    const place = () => page.evaluate(() => [...document.querySelectorAll('#transcript > li')].find((li) => li.getBoundingClientRect().bottom > 100).getBoundingClientRect().top);
    const stood = await place();
    await until('all is laid out', async () => {
        await pump('layout');
        return (await acts()).every((a) => !a.later);
    });
    assert.ok(Math.abs((await place()) - stood) < 2, 'the text in view has not moved');
    assert.ok((await acts()).slice(0, 20).every((a) => a.contained === 'style'), 'its containment did not change, which would be a change of counters');
    const far = page.locator('#transcript > li').nth(20);
    const height = (away) => far.evaluate((li, away) => [li.firstElementChild.checkVisibility({ contentVisibilityAuto: true }) !== away, li.getBoundingClientRect().height], away);
    const [away, reserved] = await height(true);
    assert.ok(away, 'it is not near');
    await far.evaluate((li) => li.scrollIntoView());
    await until('it is shown', async () => (await height(false))[0]);
    assert.ok(Math.abs((await height(false))[1] - reserved) < 0.1, 'its height was known');
});

test('the next part can be read while messages at the other end are removed', async (t) => {
    const page = await withoutIdleTime(t);
    const begin = await first(page), list = page.locator('#transcript > li');
    await page.mouse.move(600, 300);
    await page.mouse.wheel(0, -100);
    const older = () => page.evaluate(() => document.querySelector('#older').href);
    const added = (n) => until(`${n} messages are added`, async () => {
        await page.evaluate(() => {
            scrollTo(0, 0);
            window.held.adding.splice(0, 1).forEach((fn) => fn({ timeRemaining: () => 50 }));
        });
        return (await first(page)) === begin - n;
    });
    await added(50);
    const second = await older();
    await added(100);
    assert.equal(await list.count(), 150, 'no message has gone');
    assert.notEqual(await older(), second, 'the link leads to the third part');
});

test('without idle time messages are added after frames that show no message for the first time', async (t) => {
    const page = await withoutIdleTime(t);
    const begin = await first(page);
    await page.mouse.move(600, 300);
    await page.mouse.wheel(0, -100);
    await page.evaluate('scrollTo(0, 0)');
    await until('an older part is read', () => page.evaluate(() => window.held.adding.length));
    await page.evaluate(() => {
        // Two of three frames say that they show a message, and no other does. They are of the test, because a slow machine
        // makes a frame before the timers of the last one have run.
        addEventListener('contentvisibilityautostatechange', (e) => e.isTrusted && e.stopImmediatePropagation(), true);
        const list = document.querySelector('#transcript'), callbacks = [];
        let frame = 0;
        window.added = [];
        window.requestAnimationFrame = (fn) => callbacks.push(fn);
        const timer = () => new Promise((done) => setTimeout(done));
        (async () => {
            for (;;) {
                await timer();
                if (!callbacks.length) continue;
                frame++;
                setTimeout(() => setTimeout(() => {
                    if (frame % 3) list.dispatchEvent(new ContentVisibilityAutoStateChangeEvent('contentvisibilityautostatechange', { skipped: false }));
                }));
                callbacks.splice(0).forEach((fn) => fn(performance.now()));
                for (let i = 0; i < 4; i++) await timer();
            }
        })();
        new MutationObserver(() => window.added.push(frame % 3)).observe(list, { childList: true });
        window.requestIdleCallback = (fn) => setTimeout(() => fn({ didTimeout: true, timeRemaining: () => 0 }));
        window.held.adding.splice(0).forEach((fn) => window.requestIdleCallback(fn));
    });
    await until('the part is added', async () => (await first(page)) <= begin - 50);
    assert.deepEqual(new Set(await page.evaluate(() => window.added)), new Set([0]));
});

test('a session of long messages opens at its end, and stays there until its scripts come or the reader scrolls', async (t) => {
    const words = 'Some words of a longer message. '.repeat(30);
    await bring(anna, JSON.stringify([chatgpt('tall', Array.from({ length: 60 }, (_, i) => i < 57 ? words : 'Short.'), { title: 'A tall one', create_time: 1.6e9 })]));
    const [{ url }] = (await anna.getJson('/api/sessions?q=tall')).sessions;
    const page = await blank(t, { as: anna, viewport: { width: 768, height: 1024 } });
    const held = [];
    await page.route('**/main.js', (route) => held.push(route));
    const left = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(document.documentElement.scrollHeight - innerHeight - scrollY)))));
    await page.goto(url, { waitUntil: 'commit' });
    await page.waitForFunction(() => document.readyState === 'interactive');
    await until('the page waits for its scripts', () => held.length);
    for (let i = 0; i < 20; i++) assert.ok((await left()) < 1, `${await left()} px from the end`);
    await page.mouse.move(400, 300);
    await page.mouse.wheel(0, -300);
    await until('the reader has scrolled', async () => (await left()) > 200);
    await held[0].continue();
    await ready(page);
    assert.ok((await left()) > 200, 'the reader stays there');
});

test('the button to the newest message waits for an open editor, and is back when its message is deleted', async (t) => {
    await bring(anna, JSON.stringify([chatgpt('edited', Array.from({ length: 40 }, (_, i) => `Line ${i}.`), { title: 'An edited one', create_time: 1.6e9 })]));
    const [{ url }] = (await anna.getJson('/api/sessions?q=edited')).sessions;
    const page = await open(t, { as: anna, path: url });
    const chat = new Chat(page), newest = page.getByRole('button', { name: 'To the newest message' });
    await page.mouse.move(600, 300);
    await page.mouse.wheel(0, -600);
    await newest.waitFor();
    await chat.act(chat.replies.nth(-4), 'Edit').click();
    await newest.waitFor({ state: 'hidden' });
    await chat.act(chat.replies.nth(-5), 'Delete from here').click();
    await until('the messages from there on are gone', async () => (await chat.replies.count()) === 15);
    await page.evaluate(() => scrollTo(0, 300));
    await newest.waitFor();
});

test('a part that waits for two kinds of work gets both, each once', async (t) => {
    const page = await open(t, { as: anna, path });
    await until('work waits for idle time', () => page.evaluate(() => performance.getEntriesByType('resource').some((e) => e.name.endsWith('/js/base/idle.js'))));
    const done = await page.evaluate(async () => {
        const { whenIdle } = await import(performance.getEntriesByType('resource').find((e) => e.name.endsWith('/js/base/idle.js')).name);
        const el = document.createElement('p'), made = [];
        document.querySelector('#transcript > li article').append(el);
        const rendered = () => made.push('rendered');
        await new Promise((ok) => {
            whenIdle([el], rendered);
            whenIdle([el], rendered);
            whenIdle([el], () => ok(made.push('laid out')));
        });
        return made;
    });
    assert.deepEqual(done, ['rendered', 'laid out']);
});

/** Two frames: the browser has scrolled to the focus or the caret. */
const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
/** Where the message is that was in view at the first call. Not scrollY: that follows the heights of messages above. */
const place = async (page) => {
    await settled(page);
    return page.evaluate(() => {
        window.inView ??= [...document.querySelectorAll('#transcript > li')].find((li) => li.getBoundingClientRect().top > 100);
        return window.inView.getBoundingClientRect().top;
    });
};

for (const size of [{ viewport: DESKTOP }, phone])
    test(`what one does in the bar and in the message box moves no message (${size.viewport.width} px)`, async (t) => {
        const page = await open(t, { as: anna, path, ...size });
        const chat = new Chat(page);
        const stays = async (what, act) => {
            const before = await place(page);
            await act();
            assert.ok(Math.abs((await place(page)) - before) < 1, `${what}: ${before} became ${await place(page)}`);
        };
        await page.mouse.move(200, 300);
        await page.mouse.wheel(0, -100);
        await page.evaluate(() => scrollTo(0, scrollY - 1500));
        await quiet(page);
        await page.evaluate(() => document.querySelector('#text').focus({ preventScroll: true }));
        await stays('typing', () => page.keyboard.type('abc'));
        await stays('Tab', () => page.keyboard.press('Tab'));
        await stays('Shift+Tab', () => page.keyboard.press('Shift+Tab'));
        await stays('a new line', () => page.keyboard.press('Shift+Enter'));
        await stays('the menu', async () => {
            await page.locator('#session-menu > summary').click();
            await page.getByRole('menu').waitFor();
            await page.keyboard.press('Escape');
            assert.ok(await page.locator('#session-menu > summary').evaluate((el) => el === document.activeElement));
        });
        if (size.isMobile)
            await stays('the drawer', async () => {
                await page.locator('.side-open').click();
                await page.keyboard.press('Escape');
                assert.ok(await page.locator('.side-open').evaluate((el) => el === document.activeElement));
            });
        // The target of the focus or of a link is between the bar and the box.
        const free = (sel) => page.locator(sel).evaluate((el) => {
            const r = el.getBoundingClientRect(), bar = document.querySelector('.bar').getBoundingClientRect(), foot = document.querySelector('#foot').getBoundingClientRect();
            return r.top >= bar.bottom && r.bottom <= foot.top;
        });
        await chat.box.focus();
        const id = await chat.messages.nth(-8).getAttribute('id');
        await page.evaluate((id) => { location.hash = id; }, id);
        await settled(page);
        assert.ok(await free(`#${id}`), 'the target of a link');
        const control = chat.messages.nth(-20).locator('.when');
        await control.evaluate((el) => el.focus());
        await settled(page);
        assert.ok(await free('.when:focus'), 'a control of a message');
    });

for (const size of [{ viewport: { width: 640, height: 320 }, hasTouch: true, isMobile: true }, { viewport: { width: 360, height: 225 } }])
    test(`in a low window the bar comes when one scrolls up, and goes when one scrolls down (${size.viewport.width} x ${size.viewport.height})`, async (t) => {
        const page = await open(t, { as: anna, path, ...size });
        await until('its style is here', () => page.evaluate(() => [...document.styleSheets].some((s) => s.href?.includes('/low.css'))));
        await quiet(page);
        const { width, height } = size.viewport, bar = page.locator('.bar');
        await page.mouse.move(width / 2, height / 2);
        const scroll = async (by) => {
            const from = await page.evaluate(() => scrollY);
            await page.mouse.wheel(0, by);
            await page.waitForFunction((y) => scrollY !== y, from);
        };
        /** The top and the bottom of the bar, once it has stopped. */
        const rows = async () => {
            await until('the bar has stopped', () => bar.evaluate((el) => el.getAnimations().length === 0));
            return bar.evaluate((el) => [el.getBoundingClientRect().top, el.getBoundingClientRect().bottom].map(Math.round));
        };
        const look = async (what, shown) => {
            // A scroll event may come after the wheel's effect can be seen.
            await until(`${what}: the bar is ${shown ? 'there' : 'gone'}`, async () => {
                const [top, bottom] = await rows();
                return shown ? top === 0 && bottom <= height / 3 : bottom <= 0;
            });
            assert.deepEqual(await staysTooLarge(page), [], what);
            if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/low-${width}-${what}.png` });
        };
        await look('at the end', false);
        const before = await first(page);
        await scroll(-200);
        await look('up', true);
        await until('older messages have come', async () => {
            await scroll(-1000);
            await look('older', true);
            return (await first(page)) < before;
        });
        // A message above the middle of the window becomes shorter, such as by being laid out for the first time.
        await page.evaluate(() => {
            const above = [...document.querySelectorAll('#transcript > li')].find((li) => li.getBoundingClientRect().bottom > innerHeight / 4);
            scrollBy(0, above.getBoundingClientRect().bottom - innerHeight / 4);
        });
        await scroll(-40);
        await look('up again', true);
        await page.evaluate(() => new Promise((done) => {
            const above = [...document.querySelectorAll('#transcript > li')].map((li) => [li, li.getBoundingClientRect()]).findLast(([, r]) => r.bottom < innerHeight / 2);
            above[0].style.height = `${above[1].height - 30}px`;
            addEventListener('scroll', () => requestAnimationFrame(() => requestAnimationFrame(done)), { once: true });
            scrollBy(0, -1);
        }));
        await look('up beside a shorter message', true);
        await page.locator('#session-menu > summary').click();
        await page.getByRole('menu').waitFor();
        if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/low-${width}-menu.png` });
        await page.keyboard.press('Escape');
        await page.evaluate(() => document.activeElement.blur());
        await scroll(100);
        await look('down', false);
        await page.locator('.bar-new').focus();
        await page.keyboard.press('Shift+Tab');
        await look('with the focus', true);
        await page.evaluate(() => document.activeElement.blur());
        await scroll(-100);
        await page.locator('.side-open').click();
        await page.locator('#side').waitFor();
    });

test('messages change no counters, for which the browser visits all elements of the page', async (t) => {
    const page = await open(t, { as: anna, path });
    const counting = await page.locator('#transcript *').evaluateAll((all) => all.filter((el) => ['counterIncrement', 'counterReset', 'counterSet'].some((p) => getComputedStyle(el)[p] !== 'none')).map((el) => el.outerHTML.slice(0, 60)));
    assert.deepEqual(counting, []);
});

test('the pointer that goes from message to message lays out nothing', async (t) => {
    const page = await open(t, { as: anna, path });
    await quiet(page);
    const boxes = await page.locator('#transcript article').evaluateAll((all) => all.map((el) => el.getBoundingClientRect()).filter((r) => r.bottom > 120 && r.top < 560).map((r) => [r.left + 20, Math.max(100, r.top + 5)]));
    assert.ok(boxes.length > 1);
    const go = async () => {
        for (const [x, y] of [...boxes, ...boxes]) {
            await page.mouse.move(x, y);
            await settled(page);
        }
    };
    await go(); // what is loaded with the first look at a message
    await quiet(page);
    const trace = await traced(page, go);
    assert.ok(trace.some((e) => e.name === 'UpdateLayoutTree'), 'the trace has the work on styles');
    const laid = trace.filter((e) => e.name === 'Layout').map((e) => e.args.beginData?.dirtyObjects ?? 0);
    assert.equal(laid.reduce((a, b) => a + b, 0), 0);
});

test('buttons of messages that pass below the pointer are hidden while the wheel turns, and shown when it rests', async (t) => {
    const page = await open(t, { as: anna, path });
    await page.mouse.move(600, 300);
    await page.mouse.wheel(0, -800);
    await loaded(page, 'turn/reading');
    await quiet(page);
    await page.evaluate(() => {
        window.hovered = () => [...document.querySelectorAll('.msg:hover > .acts')].map((el) => getComputedStyle(el).opacity);
        window.passed = [];
        addEventListener('wheel', () => window.passed.push(...window.hovered()));
    });
    for (let i = 0; i < 5; i++) await page.mouse.wheel(0, -50);
    await until('messages have passed', () => page.evaluate(() => window.passed.length));
    assert.deepEqual(new Set(await page.evaluate(() => window.passed)), new Set(['0']));
    await until('the buttons are shown again', async () => {
        await page.mouse.wheel(0, -3); // the pointer may have been between two messages
        return page.waitForFunction(() => !document.querySelector('[data-wheel]') && window.hovered()[0] === '1', null, { timeout: 1000 }).then(() => true, () => false);
    });
});

test('a message that is sent from the beginning of a long session goes to its end', async (t) => {
    const page = await open(t, { as: anna, path });
    const chat = new Chat(page);
    await page.mouse.move(600, 300);
    await page.mouse.wheel(0, -100);
    await scrollUntil(page, '0', async () => (await first(page)) === 0 && (await page.locator('#newer').count()) > 0);
    await chat.send('And the end?');
    const call = await asked('And the end?');
    assert.ok(call.prompt.includes(`Message ${MESSAGES - 1}.`));
    await call.text('Here.');
    await call.end();
    await chat.reads('Here.');
    await chat.settled();
    assert.ok((await numbers(page)).includes(MESSAGES - 1));
});

test('a print of a part of the conversation says so, and where all of it is', async (t) => {
    const page = await open(t, { as: anna, path });
    const note = page.getByText('Only a part of this conversation is printed.');
    assert.equal(await note.isVisible(), false);
    await page.emulateMedia({ media: 'print' });
    assert.ok(await note.isVisible());
    assert.equal(await page.locator('#older').isVisible(), false);
    const file = await anna.get(await note.getByRole('link', { name: 'Export' }).getAttribute('href'));
    assert.match(file.text, /value="html"/);
});
