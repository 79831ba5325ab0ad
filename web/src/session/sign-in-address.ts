/**
 * The sign-in page, which leads back to where the browser is.
 *
 * @param root address of the service
 * @param here address of the page
 */
export function signInAddress(root: URL, here: Pick<Location, 'pathname' | 'search' | 'hash'>): string {
  const path = `/${here.pathname.slice(root.pathname.length)}${here.search}${here.hash}`;
  return `${root.href}sign_in?return_to=${encodeURIComponent(path)}`;
}
