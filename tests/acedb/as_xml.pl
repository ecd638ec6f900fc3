# as_xml.pl PORT CLASS... -- every object of these classes as AcePerl's asXML writes it, one
# behind the other, to standard output.
# SPDX-License-Identifier: MIT
use strict;
use warnings;
use Ace;

my ($port, @classes) = @ARGV;
my $db = Ace->connect(-host => '127.0.0.1', -port => $port, -user => 'reader',
                      -pass => $ENV{ACE_PASSWORD}) or die Ace->error;
$db->timestamps(1);
for my $class (@classes) {
    print $_->asXML for $db->fetch(-class => $class, -name => '*', -fill => 1);
}
