export default { cacheDir: './cache' };
