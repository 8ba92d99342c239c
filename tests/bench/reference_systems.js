// The reference systems: an nginx with Alfred's configuration in front of an empty responder, and a second server in it
// that proxies to the provider.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

import { processesOf } from '../lib/processes.js';
import { freePort, until } from '../lib/rig.js';
import { BENCH_BIN, Background } from './measure.js';

/** The folder with the sockets and the nginx configuration of a running Alfred. */
function runDirOf(alfred) {
    const master = alfred.processes().find((p) => / -c \S+\/nginx\.conf\b/.test(p.command));
    return master.command.match(/ -c (\S+)\/nginx\.conf\b/)[1];
}

/** Alfred's configuration with other sockets and ports, so that all settings are equal. */
function configuration(alfred, dir, ports) {
    const run = runDirOf(alfred);
    const text = readFileSync(`${run}/nginx.conf`, 'utf8')
        .replaceAll(run, dir)
        .replace(/(\n *)listen [^;]*;(\s*listen [^;]*;)*/, `$1listen 127.0.0.1:${ports.empty};`);
    const proxy = `
    server {
        listen 127.0.0.1:${ports.proxy};
        location / {
            proxy_pass http://127.0.0.1:${ports.provider};
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_buffering off;
        }
    }
`;
    const end = text.lastIndexOf('}');
    return `${text.slice(0, end)}${proxy}${text.slice(end)}`;
}

export class ReferenceSystems {
    static async start(alfred, parent, threads, providerPort) {
        const y = new ReferenceSystems();
        y.dir = `${parent}/y`; // short, because sockets are in it
        mkdirSync(y.dir);
        y.port = { provider: providerPort, empty: await freePort(), proxy: await freePort() };
        y.responder = new Background(`${BENCH_BIN}/responder`, [threads, `${y.dir}/pages.sock`]);
        writeFileSync(`${y.dir}/nginx.conf`, configuration(alfred, y.dir, y.port));
        const nginx = alfred.processes().find((p) => / -c \S+\/nginx\.conf\b/.test(p.command)).command.match(/(\S*\/nginx) -p/)[1];
        y.nginx = new Background(nginx, ['-p', y.dir, '-c', `${y.dir}/nginx.conf`, '-e', '/dev/null']);
        await until('the empty responder answers', async () => {
            try {
                return (await fetch(`http://127.0.0.1:${y.port.empty}/`)).status === 200;
            } catch {
                return false;
            }
        });
        return y;
    }

    nginxPids() {
        return processesOf(this.nginx.pid, this.dir)
            .filter((p) => p.command.startsWith('nginx'))
            .map((p) => p.pid);
    }

    async stop() {
        await Promise.all([this.nginx.stop(), this.responder.stop()]);
    }
}
