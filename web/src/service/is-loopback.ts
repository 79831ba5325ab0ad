/** True for an address that leads everybody to their own machine. */
export function isLoopback({ hostname }: Pick<URL, 'hostname'>): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
