// The one table that the bench prints.
import { readFileSync } from 'node:fs';
import os from 'node:os';

const NAME_WIDTH = 62;

function number(value) {
    if (value >= 1000) return String(Math.round(value));
    return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export class Table {
    #lines = [];
    #missed = [];
    broken = false;

    part(title) {
        this.#lines.push('', title);
    }

    /** One figure; with an aim (at most, or with `least` at least) also whether it was reached. */
    row(name, value, unit, { aim, least = false } = {}) {
        let verdict = '';
        if (aim !== undefined) {
            const met = least ? value >= aim : value <= aim;
            verdict = `aim ${least ? 'at least' : 'at most'} ${aim}: ${met ? 'met' : 'MISSED'}`;
            if (!met) this.#missed.push(`${name.trim()}: ${number(value)} ${unit}`);
        }
        this.#lines.push(`  ${name.padEnd(NAME_WIDTH)}${number(value).padStart(9)} ${unit.padEnd(11)} ${verdict}`.trimEnd());
    }

    /** A part that could not be measured; the others go on. */
    failed(part, error) {
        this.broken = true;
        this.#lines.push('', `${part}: not measured: ${error.message}`);
    }

    print(seconds) {
        const cpu = readFileSync('/proc/cpuinfo', 'utf8').match(/model name\s*: (.*)/)?.[1] ?? 'unknown processor';
        console.log(`Alfred's bench: ${os.cpus().length} x ${cpu}, Linux ${os.release()}, ${Math.round(seconds)} s`);
        console.log('Clients, provider and service share these processors, so rates are those of the whole machine; all over loopback.');
        const others = os.loadavg()[2]; // of the last quarter of an hour, most of it before the bench
        if (others > os.cpus().length / 2) console.log(`The machine was busy with other things, too (load ${others.toFixed(1)}): delays and ratios are worse than they would be.`);
        console.log(this.#lines.join('\n'));
        console.log(this.#missed.length ? `\nMissed: ${this.#missed.join('; ')}` : '\nAll aims met.');
    }
}
