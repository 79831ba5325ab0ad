import chromium from '@sparticuz/chromium';

// To the folder for temporary files, as the environment names it.
await chromium.executablePath();
