declare global {
  interface Window {
    /** Read by the library with which dialogs stop the page from scrolling. */
    __webpack_nonce__?: string;
  }
}

/** The nonce with which the Content-Security-Policy of the page allows styles that are written while it runs. */
export function allowOwnStyles(): string {
  const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
  window.__webpack_nonce__ = nonce;
  return nonce;
}
