/* The service manager that started this program, such as systemd: protocol of sd_notify(3). */
#ifndef ALFRED_CLI_SERVE_SERVICE_MANAGER_H
#define ALFRED_CLI_SERVE_SERVICE_MANAGER_H

/* Says that the service has started, to the socket of $NOTIFY_SOCKET, and removes the variable, so that no
 * program that is started later speaks for us. Without the variable nothing happens. A failure is logged. */
void service_manager_ready(void);

#endif
