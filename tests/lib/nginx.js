// An nginx of a test, beside that of the service: one site, in a folder of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';

import { until } from './rig.js';

/** Whether something listens on a port. */
function listens(port) {
    return new Promise((resolve) => {
        const socket = net.connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
        socket.on('connect', () => socket.destroy());
    });
}

/** Starts nginx with the text of a site and waits for its port; stops it after the test. `dir` is its folder. */
export async function startNginx(t, dir, site, port) {
    const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((n) => `${n}_temp_path ${dir}/${n};`).join(' ');
    writeFileSync(`${dir}/site.conf`, site);
    writeFileSync(`${dir}/nginx.conf`, `daemon off; pid ${dir}/pid; events { } http { access_log off; ${temp} include ${dir}/site.conf; }`);
    const nginx = spawn('nginx', ['-e', `${dir}/start.log`, '-c', `${dir}/nginx.conf`], { stdio: 'ignore' });
    const ended = once(nginx, 'exit');
    t.after(async () => {
        nginx.kill('SIGTERM');
        await ended;
    });
    await until('nginx listens', () => {
        if (nginx.exitCode !== null) throw new Error(readFileSync(`${dir}/start.log`, 'utf8'));
        return listens(port);
    });
}
