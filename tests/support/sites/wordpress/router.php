<?php
// Routes PHP's built-in server the way WordPress's rewrite rules do: what exists is served as it
// is, a folder by its index.php, and every other path is a permalink.
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH) ?: '/';
$file = $_SERVER['DOCUMENT_ROOT'] . rawurldecode($path);
if ($path !== '/' && (is_file($file) || is_file(rtrim($file, '/') . '/index.php'))) {
    return false;
}
// In a network, the PHP files of each site are those of all.
if (preg_match('~^/[_0-9a-zA-Z-]+(/[^/]+\.php)$~', $path, $parts) && is_file($_SERVER['DOCUMENT_ROOT'] . $parts[1])) {
    $_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = $parts[1];
    $_SERVER['SCRIPT_FILENAME'] = $_SERVER['DOCUMENT_ROOT'] . $parts[1];
    require $_SERVER['SCRIPT_FILENAME'];
    return true;
}
$_SERVER['SCRIPT_NAME'] = '/index.php';
$_SERVER['SCRIPT_FILENAME'] = $_SERVER['DOCUMENT_ROOT'] . '/index.php';
$_SERVER['PHP_SELF'] = '/index.php';
require $_SERVER['DOCUMENT_ROOT'] . '/index.php';
