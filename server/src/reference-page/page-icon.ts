/** Three aligned rows. */
export const pageIcon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">
<rect width="24" height="24" rx="5" fill="#2458c6"/>
<path d="M6 7.5h12M6 12h12M6 16.5h7" stroke="#fff" stroke-width="2.2" stroke-linecap="round"/>
</svg>
`;
