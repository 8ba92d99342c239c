// Pages that the tests of one file use one after the other. A new page costs Chromium a process, empty caches and the
// compilation of every script: .75 s of processor time until Alfred's page is ready, .45 s in a page that was used before.
//
// Between two tests a page loses all that the first one left: cookies, stored data, routes, listeners, further pages, its
// size and its colours. If its test did what cannot be undone (LASTING), or if clearing fails, it is closed instead.

/** Methods of pages and contexts whose effect lasts as long as the page or the context. */
const LASTING = ['addInitScript', 'addLocatorHandler', 'exposeBinding', 'exposeFunction', 'grantPermissions', 'newCDPSession', 'routeFromHAR', 'routeWebSocket', 'setExtraHTTPHeaders', 'setGeolocation'];
const LASTING_OF_CLOCK = ['install', 'pauseAt', 'setFixedTime', 'setSystemTime'];

/** A document without scripts. It is Alfred's, because a page of another site would get another process. */
const EMPTY = '/static/css/hello.css';

export class KeptPages {
    #make;
    #free = new Map(); // the options that cannot be changed, as JSON: the pages that no test uses
    #kept = new WeakMap(); // a page: what is needed to clear it

    /** @param {(options: object) => Promise<import('playwright-core').BrowserContext>} make makes a context */
    constructor(make) {
        this.#make = make;
    }

    /** A page in a context of its own, empty and without cookies. `options` are those of a context. */
    async take({ viewport, colorScheme = null, reducedMotion = null, forcedColors = null, ...fixed }) {
        const key = JSON.stringify(fixed);
        const page = this.#free.get(key)?.pop() ?? (await this.#added({ viewport, ...fixed }, key));
        const kept = this.#kept.get(page);
        kept.look = async (one) => {
            await one.setViewportSize(viewport);
            await one.emulateMedia({ media: null, contrast: null, colorScheme, reducedMotion, forcedColors });
            return one;
        };
        return kept.look(page);
    }

    /** Gives a page back. Whoever has taken it must not use it any more. */
    async give(page) {
        const kept = this.#kept.get(page);
        if (kept.lasting || page.isClosed() || !(await clear(page, kept))) return page.context().close();
        this.#free.set(kept.key, [...(this.#free.get(kept.key) ?? []), page]);
    }

    async #added(options, key) {
        const context = await this.#make(options);
        const page = await context.newPage();
        const kept = { key, lasting: false, listeners: [], cdp: await context.newCDPSession(page) };
        this.#kept.set(page, kept);
        const further = context.newPage.bind(context);
        context.newPage = async () => kept.look(await further());
        for (const one of [context, page]) observe(one, kept);
        return page;
    }
}

/** Notes what a test adds to a page or to a context. */
function observe(one, kept) {
    const lasting = (of, names) => {
        for (const name of names.filter((n) => n in of)) {
            const method = of[name].bind(of);
            of[name] = (...args) => {
                kept.lasting = true;
                return method(...args);
            };
        }
    };
    lasting(one, LASTING);
    lasting(one.clock, LASTING_OF_CLOCK);
    for (const name of ['on', 'once']) {
        const method = one[name].bind(one);
        one[name] = (event, listener) => {
            kept.listeners.push(() => one.off(event, listener));
            return method(event, listener);
        };
    }
}

/** Removes what a test has left. False if that failed. */
async function clear(page, { listeners, cdp }) {
    const context = page.context();
    try {
        listeners.splice(0).forEach((remove) => remove());
        // Before the page is left: what its scripts send then must not belong to a user.
        await context.clearCookies();
        await Promise.all(context.pages().filter((p) => p !== page).map((p) => p.close()));
        for (const one of [page, context]) await one.unrouteAll({ behavior: 'ignoreErrors' });
        await context.setOffline(false);
        await page.goto(EMPTY);
        await page.evaluate(() => {
            sessionStorage.clear();
            window.name = '';
        });
        await cdp.send('Storage.clearDataForOrigin', { origin: new URL(page.url()).origin, storageTypes: 'all' });
        await context.clearCookies();
        return true;
    } catch {
        return false;
    }
}
