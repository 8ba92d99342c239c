// Shared by the browser tests: one service, one scripted provider and one Chromium per file, and pages with checks. A
// page that writes an error to its console, throws, violates the Content-Security-Policy or requests anything from
// another server fails the test that opened it.
import assert from 'node:assert/strict';
import { X509Certificate, createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { after } from 'node:test';

import { chromium } from 'playwright-core';

import { asksForAnswer, beginAnswer, provide, serveFile } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';
import { KeptPages } from './kept_pages.js';

export { answers } from '../../fake/provider.js';
export { until } from '../../lib/rig.js';
export { asksForAnswer } from '../../lib/chat.js';

/** The limit of every wait, as that of until(); reached only on failure, also when the helper's jobs, which have a low priority, get a fiftieth of a processor. */
const PATIENCE_MS = 60_000;

export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 360, height: 740 };

/** Emulates a touch screen of this size. */
export const phone = { viewport: PHONE, hasTouch: true, isMobile: true };

/** Debian's Chromium without the window of a desktop browser, which takes twice the time; CHROMIUM names another one. */
function program() {
    const found = [process.env.CHROMIUM, '/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((p) => p && existsSync(p));
    assert.ok(found, "no Chromium; 'make setup-test' installs it");
    return found;
}

/**
 * Starts Chromium. It trusts the certificate of this service, because browsers keep nothing in their caches that came with
 * a certificate that they do not trust. `more` are further arguments.
 */
export const launch = (alfred, ...more) => {
    const key = new X509Certificate(readFileSync(`${alfred.dataDir}/tls/cert.pem`)).publicKey.export({ type: 'spki', format: 'der' });
    const args = [`--ignore-certificate-errors-spki-list=${createHash('sha256').update(key).digest('base64')}`, ...more];
    if (process.getuid() === 0) args.push('--no-sandbox'); // it does not work as root; both sides of the test are ours
    return chromium.launch({ executablePath: program(), args, timeout: PATIENCE_MS });
};

/** Without V8's optimizing compilers: a test leaves a document before optimized code, that of axe above all, has paid for its compilation. */
const UNOPTIMIZED = '--js-flags=--no-opt --no-maglev';

/** The requests of each context that have no complete answer, and when the last one began or ended. */
const traffic = new WeakMap();
const QUIET_MS = 500;

export function countRequests(context) {
    const now = { open: new Set(), changed: Date.now() };
    const change = (act) => (r) => {
        // The stream stays open; of a shared worker's script Playwright reports no end.
        if (r.resourceType() === 'eventsource' || r.url().endsWith('/hub.js')) return;
        now.open[act](r);
        now.changed = Date.now();
    };
    context.on('request', change('add'));
    context.on('requestfinished', change('delete'));
    context.on('requestfailed', change('delete'));
    traffic.set(context, now);
}

/** Waits until the page is loaded and requests nothing more. The stream of live events stays open ("networkidle" never comes). */
export async function quiet(page) {
    await page.waitForLoadState('load');
    const now = traffic.get(page.context());
    await until('the page requests nothing more', () => now.open.size === 0 && Date.now() - now.changed >= QUIET_MS).catch((e) => assert.fail(`${e.message}: ${[...now.open].map((r) => r.url())}`));
}

/** Records everything that a page must not do. */
class Watch {
    #bad = [];

    #stop;

    constructor(context, origin, allow) {
        const note = (what) => allow.some((a) => a.test(what)) || this.#bad.push(what);
        const listeners = {
            console: (m) => m.type() === 'error' && note(`console: ${m.text()} (${m.location().url})`),
            weberror: (e) => note(`thrown: ${e.error().stack}`),
            request: (r) => {
                const url = new URL(r.url());
                if (url.origin !== origin && !['data:', 'blob:'].includes(url.protocol)) note(`left the origin: ${r.url()}`);
            },
        };
        for (const [event, listener] of Object.entries(listeners)) context.on(event, listener);
        this.#stop = () => Object.entries(listeners).forEach(([event, listener]) => context.off(event, listener));
    }
    stop() {
        this.#stop();
    }
    check() {
        assert.deepEqual(this.#bad, []);
    }
}

/**
 * Everything for one file. With `two` there are models of two providers. `flags` are further arguments of Chromium. `open(t, {as, path, allow, ...})` opens a page in a browser of its own (a context): `as` is a
 * Client who is signed in, `allow` lists what the watch may pass by, the rest is Playwright's. `blank()` gives such a page without opening an address, `context()` a
 * context that is new.
 */
export async function stage({ title = 'A short title', providers = true, two = false, env = {}, flags = [], ...options } = {}) {
    const provider = await provide({ title });
    const alfred = await serveFile({ env: { ...(providers && provider.env), ...(two && provider.anthropicEnv), ...env }, ...options });
    const browser = await launch(alfred, UNOPTIMIZED, ...flags);
    after(() => browser.close());

    const make = async (options) => {
        const made = await browser.newContext(options);
        made.setDefaultTimeout(PATIENCE_MS);
        countRequests(made);
        return made;
    };
    const kept = new KeptPages(make);

    // Playwright's own requests (route.fetch) do not know what Chromium trusts.
    const complete = (more) => ({ ignoreHTTPSErrors: true, baseURL: alfred.baseUrl, viewport: DESKTOP, locale: 'en-GB', timezoneId: 'UTC', ...more });

    /** Signs in a context and watches it. After the test `end` takes it back. */
    async function lend(t, made, { as, allow = [], baseURL }, end) {
        if (as) await made.addCookies([...as.cookies].map(([name, value]) => ({ name, value, url: baseURL })));
        const watch = new Watch(made, new URL(baseURL).origin, allow);
        t.after(async () => {
            await made.cookies().catch(() => {}); // what the page has written so far arrives before the answer
            watch.stop();
            await end();
            watch.check();
        });
    }

    async function context(t, { as, allow, ...more } = {}) {
        const options = complete(more);
        const made = await make(options);
        await lend(t, made, { as, allow, ...options }, () => made.close());
        return made;
    }

    /** An empty page. */
    async function blank(t, { as, allow, ...more } = {}) {
        const options = complete(more);
        const page = await kept.take(options);
        await lend(t, page.context(), { as, allow, ...options }, () => kept.give(page));
        return page;
    }

    return {
        alfred,
        provider,
        browser,
        context,
        blank,
        /** Changes a row of the database directly: for states that otherwise take hours or a crash. */
        change(sql, ...values) {
            alfred.database((db) => assert.equal(db.prepare(sql).run(...values).changes, 1));
        },
        async open(t, { path = '/', ...more } = {}) {
            const page = await blank(t, more);
            await page.goto(path);
            if (more.javaScriptEnabled !== false) await ready(page);
            return page;
        },
        /** The request for the answer to `text`, with the answer begun. */
        asked: (text) => beginAnswer(provider, text),
    };
}

/** Waits until the page's scripts have run. */
export const ready = (page) => page.locator('html.ready').waitFor({ state: 'attached' });

/** Waits until a module has arrived that the page loads some time after that, such as "chat/watch". It may be there already. */
export const loaded = (page, name) => page.waitForFunction((end) => performance.getEntriesByType('resource').some((e) => e.name.endsWith(end)), `/js/${name}.js`);

/** Follows a link or a form, also without scripts, and waits until the whole next page is there: after a click Playwright waits for its beginning only. */
export const nextPage = (page, act) => Promise.all([page.waitForEvent('load'), act()]);

/**
 * Follows a link or a form to the next page, which may have the same address, and waits until it is ready. Its scripts may
 * have removed the notice from its address by then (static/js/frame/stay.js).
 */
export async function leads(page, url, act) {
    const came = [], note = (frame) => frame === page.mainFrame() && came.push(frame.url());
    page.on('framenavigated', note);
    await nextPage(page, act);
    page.off('framenavigated', note);
    if (!(url instanceof RegExp && came.some((one) => url.test(one)))) await page.waitForURL(url);
    await ready(page);
}

const WITH_REASONS = ['devtools.timeline', 'disabled-by-default-devtools.timeline.invalidationTracking'];

/** The events of Chromium's trace during `act`, from all threads of the page. By default an event of a new style has its reason. */
export async function traced(page, act, includedCategories = WITH_REASONS) {
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Tracing.start', { transferMode: 'ReturnAsStream', traceConfig: { includedCategories } });
    await act();
    const ended = new Promise((done) => cdp.once('Tracing.tracingComplete', done));
    await cdp.send('Tracing.end');
    const { stream } = await ended;
    let trace = '';
    for (let part = { eof: false }; !part.eof; trace += part.data) part = await cdp.send('IO.read', { handle: stream });
    await cdp.detach();
    return JSON.parse(trace).traceEvents;
}
